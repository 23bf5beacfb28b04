// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"fmt"
	"strings"

	"berth.dev/sdk/go/pluginv1"
)

var errNoStep = errors.New("the plugin has no such step")

// answer makes the call of one step, and sends what comes of it; steps that may block do so elsewhere.
func (s *Session) answer(call *pluginv1.Call) {
	answer := &pluginv1.Answer{Id: call.Id}
	s.calling.Lock()
	cycle, err := s.check(call)
	if err == nil {
		switch step := call.Step.(type) {
		case *pluginv1.Call_PostFilter:
			go s.postFilter(cycle, call, step.PostFilter) // which unlocks: it sees the cluster as it is now
			return
		case *pluginv1.Call_PreBind:
			err = s.preBind(cycle, call, step.PreBind)
		case *pluginv1.Call_Bind:
			err = s.bind(cycle, call, step.Bind)
		default:
			err = s.dispatch(cycle, call, answer)
		}
	}
	defer s.calling.Unlock()
	if err == nil && answer.Step == nil {
		return // it comes later
	}
	s.sendAnswer(answer, err)
	if call.GetPermit() != nil && cycle != nil {
		cycle.endPermit(err == nil && answer.GetPermit().GetStatus().GetCode() == pluginv1.Code_WAIT)
	}
}

func (s *Session) sendAnswer(answer *pluginv1.Answer, err error) {
	if err != nil {
		answer.Error, answer.Step = err.Error(), nil
	}
	s.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Answer{Answer: answer}})
}

func (s *Session) check(call *pluginv1.Call) (*Cycle, error) {
	if s.plugin == nil {
		return nil, errors.New("the scheduler has not said hello")
	}
	if s.broken != nil {
		return nil, fmt.Errorf("what was told of the cluster makes no sense: %w", s.broken)
	}
	return s.cycleOf(call), nil
}

func (s *Session) dispatch(cycle *Cycle, call *pluginv1.Call, answer *pluginv1.Answer) (err error) {
	defer recoverTo(&err)
	switch step := call.Step.(type) {
	case *pluginv1.Call_PreEnqueue:
		return s.preEnqueue(step.PreEnqueue, answer)
	case *pluginv1.Call_SortKey:
		return s.sortKeys(step.SortKey, answer)
	case *pluginv1.Call_Filter:
		return s.filter(cycle, step.Filter, answer)
	case *pluginv1.Call_Judge:
		return s.judge(cycle, step.Judge, answer)
	case *pluginv1.Call_Score:
		return s.score(cycle, step.Score, answer)
	case *pluginv1.Call_Reserve:
		return s.reserve(cycle, step.Reserve, answer)
	case *pluginv1.Call_Permit:
		return s.permit(cycle, step.Permit, answer)
	case *pluginv1.Call_PreBindPreFlight:
		return s.preFlight(cycle, step.PreBindPreFlight, answer)
	case *pluginv1.Call_Hint:
		return s.hint(step.Hint, answer)
	}
	return errNoStep // of a later minor version
}

func (s *Session) pod(id uint64) (*Pod, error) {
	if pod := s.cluster.Pod(id); pod != nil {
		return pod, nil
	}
	return nil, fmt.Errorf("the call names pod %d, which was not told", id)
}

func (s *Session) at(podID uint64, nodeID uint32) (*Pod, *Node, error) {
	pod, err := s.pod(podID)
	if err != nil {
		return nil, nil, err
	}
	if node := s.cluster.Node(nodeID); node != nil {
		return pod, node, nil
	}
	return nil, nil, fmt.Errorf("the call names node %d, which was not told", nodeID)
}

func (s *Session) preEnqueue(call *pluginv1.PreEnqueueCall, answer *pluginv1.Answer) error {
	gate, ok := s.plugin.(PreEnqueuer)
	if !ok {
		return errNoStep
	}
	preempting := map[uint64]bool{}
	for _, id := range call.Preempting {
		preempting[id] = true
	}
	statuses := make([]*pluginv1.Status, 0, len(call.Pods))
	for _, id := range call.Pods {
		pod, err := s.pod(id)
		if err != nil {
			return err
		}
		statuses = append(statuses, gate.PreEnqueue(pod, preempting[id]).wire())
	}
	answer.Step = &pluginv1.Answer_PreEnqueue{PreEnqueue: &pluginv1.PreEnqueueAnswer{Statuses: statuses}}
	return nil
}

func (s *Session) sortKeys(call *pluginv1.SortKeyCall, answer *pluginv1.Answer) error {
	sorter, ok := s.plugin.(QueueSorter)
	if !ok {
		return errNoStep
	}
	keys := make([]*pluginv1.SortKey, 0, len(call.Pods))
	for _, id := range call.Pods {
		pod, err := s.pod(id)
		if err != nil {
			return err
		}
		key := &pluginv1.SortKey{}
		for _, part := range sorter.SortKey(pod) {
			key.Parts = append(key.Parts, part.part)
		}
		keys = append(keys, key)
	}
	answer.Step = &pluginv1.Answer_SortKey{SortKey: &pluginv1.SortKeyAnswer{Keys: keys}}
	return nil
}

func (s *Session) hint(call *pluginv1.HintCall, answer *pluginv1.Answer) error {
	if int(call.Registration) >= len(s.events) || s.events[call.Registration].Hint == nil {
		return fmt.Errorf("there is no registration %d that asks", call.Registration)
	}
	var before, after *Object
	if call.Before != nil {
		before = newObject(call.Before)
	}
	if call.After != nil {
		after = newObject(call.After)
	}
	queue := make([]bool, 0, len(call.Pods))
	for _, id := range call.Pods {
		pod, err := s.pod(id)
		if err != nil {
			return err
		}
		queue = append(queue, s.events[call.Registration].Hint(pod, before, after))
	}
	answer.Step = &pluginv1.Answer_Hint{Hint: &pluginv1.HintAnswer{Queue: queue}}
	return nil
}

func (s *Session) reserve(cycle *Cycle, call *pluginv1.NodeCall, answer *pluginv1.Answer) error {
	reserver, ok := s.plugin.(Reserver)
	if !ok {
		return errNoStep
	}
	pod, node, err := s.at(call.Pod, call.Node)
	if err != nil {
		return err
	}
	answer.Step = &pluginv1.Answer_Reserve{Reserve: reserver.Reserve(cycle, pod, node).wire()}
	return nil
}

func (s *Session) permit(cycle *Cycle, call *pluginv1.NodeCall, answer *pluginv1.Answer) error {
	permitter, ok := s.plugin.(Permitter)
	if !ok {
		return errNoStep
	}
	pod, node, err := s.at(call.Pod, call.Node)
	if err != nil {
		return err
	}
	cycle.beginPermit(call.Pod)
	status, timeout := permitter.Permit(cycle, pod, node)
	permit := &pluginv1.PermitAnswer{Status: status.wire()}
	if timeout > 0 {
		permit.TimeoutMillis = uint64((timeout + 999_999) / 1_000_000)
	}
	answer.Step = &pluginv1.Answer_Permit{Permit: permit}
	return nil
}

func (s *Session) preFlight(cycle *Cycle, call *pluginv1.NodeCall, answer *pluginv1.Answer) error {
	pod, node, err := s.at(call.Pod, call.Node)
	if err != nil {
		return err
	}
	result := &pluginv1.PreFlightAnswer{Status: &pluginv1.Status{}}
	if flighter, ok := s.plugin.(PreFlighter); ok {
		status, allowParallel := flighter.PreBindPreFlight(cycle, pod, node)
		result = &pluginv1.PreFlightAnswer{Status: status.wire(), AllowParallel: allowParallel}
	}
	answer.Step = &pluginv1.Answer_PreBindPreFlight{PreBindPreFlight: result}
	return nil
}

// reasonTable numbers the verdicts of many nodes, of which few differ.
type reasonTable struct {
	statuses  []*pluginv1.Status
	byPointer map[*Status]uint32
	byText    map[string]uint32
}

func (t *reasonTable) number(status *Status) uint32 {
	if number, ok := t.byPointer[status]; ok {
		return number
	}
	text := fmt.Sprintf("%d\x00%s", status.Code, strings.Join(status.Reasons, "\x00"))
	number, ok := t.byText[text]
	if !ok {
		t.statuses = append(t.statuses, status.wire())
		number = uint32(len(t.statuses))
		if t.byText == nil {
			t.byText, t.byPointer = map[string]uint32{}, map[*Status]uint32{}
		}
		t.byText[text] = number
	}
	t.byPointer[status] = number
	return number
}
