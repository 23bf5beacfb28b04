// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"encoding/json"
	"io"
	"testing"
	"time"

	"berth.dev/sdk/go/pluginv1"
)

// scheduler is the other end of a session, without gRPC.
type scheduler struct {
	t      *testing.T
	ctx    context.Context
	in     chan *pluginv1.SchedulerMessage
	out    chan *pluginv1.PluginMessage
	served chan error
	next   uint64
}

func (s *scheduler) Context() context.Context { return s.ctx }

func (s *scheduler) Recv() (*pluginv1.SchedulerMessage, error) {
	if message, ok := <-s.in; ok {
		return message, nil
	}
	return nil, io.EOF
}

func (s *scheduler) Send(message *pluginv1.PluginMessage) error {
	s.out <- message
	return nil
}

// open begins a session with a plugin, which need not say hello yet.
func open(t *testing.T, make Open) *scheduler {
	s := newScheduler(t)
	go func() { s.served <- serve("tested", make, s) }()
	t.Cleanup(func() {
		close(s.in)
		if err := <-s.served; err != nil {
			t.Errorf("served: %v", err)
		}
	})
	return s
}

func newScheduler(t *testing.T) *scheduler {
	return &scheduler{
		t: t, ctx: t.Context(), in: make(chan *pluginv1.SchedulerMessage),
		out: make(chan *pluginv1.PluginMessage, 100), served: make(chan error, 1),
	}
}

// greeted begins a session with a plugin that has greeted, in a cluster of some nodes and pods: pod 1 is on node 0, pod
// 2 waits.
func greeted(t *testing.T, plugin any) *scheduler {
	s := open(t, func(*Session) (any, error) { return plugin, nil })
	if welcome := s.hello(&pluginv1.Hello{Major: Major}); welcome.Refusal != "" {
		t.Fatalf("refused: %s", welcome.Refusal)
	}
	s.tell(nodeChange(0, "a"), nodeChange(1, "b"), nodeChange(9, "c"), podChange(1, "one"), podChange(2, "two"),
		&pluginv1.Change{Change: &pluginv1.Change_Placed{Placed: &pluginv1.Placed{Pod: 1, Node: 0}}})
	return s
}

func (s *scheduler) hello(hello *pluginv1.Hello) *pluginv1.Welcome {
	s.in <- &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Hello{Hello: hello}}
	return s.receive().GetWelcome()
}

func (s *scheduler) tell(changes ...*pluginv1.Change) {
	s.in <- &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Objects{
		Objects: &pluginv1.Objects{Changes: changes, Complete: true},
	}}
}

func (s *scheduler) note(note *pluginv1.Note) {
	s.in <- &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Note{Note: note}}
}

// call sends it under a number of its own, which it returns.
func (s *scheduler) call(call *pluginv1.Call) uint64 {
	s.next++
	call.Id = s.next
	if call.TimeoutMicros == 0 {
		call.TimeoutMicros = uint64(time.Hour / time.Microsecond)
	}
	s.in <- &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Call{Call: call}}
	return call.Id
}

func (s *scheduler) ask(call *pluginv1.Call) *pluginv1.Answer {
	id := s.call(call)
	answer := s.receive().GetAnswer()
	if answer.GetId() != id {
		s.t.Fatalf("call %d was answered by %v", id, answer)
	}
	return answer
}

func (s *scheduler) receive() *pluginv1.PluginMessage {
	select {
	case message := <-s.out:
		return message
	case <-time.After(time.Minute):
		s.t.Fatal("nothing was sent")
		return nil
	}
}

func nodeChange(id uint32, name string) *pluginv1.Change {
	document, _ := json.Marshal(map[string]any{
		"metadata": map[string]any{"name": name, "labels": map[string]string{"name": name}},
		"status":   map[string]any{"allocatable": map[string]any{"cpu": "1500m", "memory": "2Gi", "pods": 110}},
	})
	return &pluginv1.Change{Change: &pluginv1.Change_Node{
		Node: &pluginv1.Node{Id: id, Name: name, Document: document},
	}}
}

func podChange(id uint64, name string) *pluginv1.Change {
	document, _ := json.Marshal(map[string]any{"metadata": map[string]any{"name": name}})
	return &pluginv1.Change{Change: &pluginv1.Change_Pod{
		Pod: &pluginv1.Pod{Id: id, Uid: "uid-" + name, Namespace: "default", Name: name, Document: document},
	}}
}

func filterCall(bits ...byte) *pluginv1.Call {
	return &pluginv1.Call{Step: &pluginv1.Call_Filter{
		Filter: &pluginv1.FilterCall{Pod: 2, PreFilter: true, Filter: true, Nodes: &pluginv1.NodeSet{Bits: bits}},
	}}
}
