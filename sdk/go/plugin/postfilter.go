// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"

	"berth.dev/sdk/go/pluginv1"
)

// Failure is what PostFilter is told: why the pod can go nowhere.
type Failure struct {
	// Preempting: victims of the pod's earlier attempt are still on their way out.
	Preempting bool
	session    *Session
	ctx        context.Context
	call       uint64
	nodes      []*Node
	statuses   []*Status // parallel to nodes
}

// Nodes are all nodes, in ascending order of their IDs.
func (f *Failure) Nodes() []*Node { return f.nodes }

// Status is why the i-th node was rejected; nil: it was not.
func (f *Failure) Status(i int) *Status { return f.statuses[i] }

// Context ends when the scheduler waits for the answer no longer.
func (f *Failure) Context() context.Context { return f.ctx }

// PodChange is a pod that a node gets, or loses.
type PodChange struct {
	Pod   *Pod
	Added bool
}

// Hypothesis is a node as it would be with these changes, in order.
type Hypothesis struct {
	Node    *Node
	Changes []PodChange
}

// Without is the node without some of its pods.
func Without(node *Node, pods ...*Pod) Hypothesis {
	hypothesis := Hypothesis{Node: node}
	for _, pod := range pods {
		hypothesis.Changes = append(hypothesis.Changes, PodChange{Pod: pod})
	}
	return hypothesis
}

// Judge asks all Filter plugins of the profile whether the pod could go to these nodes as they would be. Meanwhile the
// cluster may change.
func (f *Failure) Judge(hypotheses ...Hypothesis) ([]*Status, error) {
	judge := &pluginv1.Judge{Call: f.call}
	for _, hypothesis := range hypotheses {
		wire := &pluginv1.Hypothesis{Node: hypothesis.Node.ID}
		for _, change := range hypothesis.Changes {
			wire.Changes = append(wire.Changes, &pluginv1.PodChange{Pod: change.Pod.ID, Added: change.Added})
		}
		judge.Hypotheses = append(judge.Hypotheses, wire)
	}
	judged, err := f.session.ask(f.ctx, judge)
	if err != nil {
		return nil, err
	}
	if judged.Error != "" {
		return nil, errors.New(judged.Error)
	}
	if len(judged.Statuses) != len(hypotheses) {
		return nil, fmt.Errorf("the scheduler has judged %d of %d nodes", len(judged.Statuses), len(hypotheses))
	}
	statuses := make([]*Status, 0, len(judged.Statuses))
	for _, status := range judged.Statuses {
		statuses = append(statuses, fromWire(status))
	}
	return statuses, nil
}

// ask is called by PostFilter, which holds `calling`; meanwhile others may.
func (s *Session) ask(ctx context.Context, judge *pluginv1.Judge) (*pluginv1.Judged, error) {
	answer := make(chan *pluginv1.Judged, 1)
	s.asking.Lock()
	s.nextAsked++
	judge.Id = s.nextAsked
	s.questions[judge.Id] = answer
	s.asking.Unlock()
	s.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Judge{Judge: judge}})
	s.calling.Unlock()
	defer s.calling.Lock()
	select {
	case judged := <-answer:
		return judged, nil
	case <-ctx.Done():
		s.asking.Lock()
		defer s.asking.Unlock()
		delete(s.questions, judge.Id)
		return nil, fmt.Errorf("the scheduler waits for PostFilter no longer: %w", ctx.Err())
	}
}

// postFilter runs on a goroutine of its own, to which `calling` was handed.
func (s *Session) postFilter(cycle *Cycle, call *pluginv1.Call, asked *pluginv1.PostFilterCall) {
	defer s.calling.Unlock()
	ctx, cancel := context.WithCancel(cycle.ctx)
	s.asking.Lock()
	s.canceled[call.Id] = cancel
	s.asking.Unlock()
	defer func() {
		s.asking.Lock()
		defer s.asking.Unlock()
		delete(s.canceled, call.Id)
		cancel()
	}()
	answer := &pluginv1.Answer{Id: call.Id}
	err := s.runPostFilter(ctx, cycle, call.Id, asked, answer)
	s.sendAnswer(answer, err)
}

func (s *Session) runPostFilter(ctx context.Context, cycle *Cycle, id uint64, call *pluginv1.PostFilterCall,
	answer *pluginv1.Answer) (err error) {
	defer recoverTo(&err)
	postFilterer, ok := s.plugin.(PostFilterer)
	if !ok {
		return errNoStep
	}
	pod, err := s.pod(call.Pod)
	if err != nil {
		return err
	}
	failure := &Failure{
		Preempting: call.Preempting, session: s, ctx: ctx, call: id, nodes: s.cluster.Nodes(),
	}
	if err := failure.read(call); err != nil {
		return err
	}
	nomination, status := postFilterer.PostFilter(cycle, pod, failure)
	result := &pluginv1.PostFilterAnswer{
		Status: status.wire(), Overrides: nomination.Override, NominatedNode: nomination.Node,
		TriedPreemption: nomination.TriedPreemption,
	}
	for _, victim := range nomination.Victims {
		result.Victims = append(result.Victims, victim.ID)
	}
	answer.Step = &pluginv1.Answer_PostFilter{PostFilter: result}
	return nil
}

func (f *Failure) read(call *pluginv1.PostFilterCall) error {
	f.statuses = make([]*Status, len(f.nodes))
	if len(call.Verdicts) == 0 {
		return nil
	}
	if len(call.Verdicts) != len(f.nodes) {
		return fmt.Errorf("the call has %d verdicts on %d nodes", len(call.Verdicts), len(f.nodes))
	}
	reasons := []*Status{nil}
	for _, reason := range call.Reasons {
		reasons = append(reasons, fromWire(reason))
	}
	for i, verdict := range call.Verdicts {
		if int(verdict) >= len(reasons) {
			return fmt.Errorf("the call has the unknown verdict %d", verdict)
		}
		f.statuses[i] = reasons[verdict]
	}
	return nil
}
