// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"

	"berth.dev/sdk/go/pluginv1"
)

func (s *Session) filter(cycle *Cycle, call *pluginv1.FilterCall, answer *pluginv1.Answer) error {
	pod, err := s.pod(call.Pod)
	if err != nil {
		return err
	}
	result := &pluginv1.FilterAnswer{}
	answer.Step = &pluginv1.Answer_Filter{Filter: result}
	if call.PreFilter {
		only, status := s.preFilter(cycle, pod)
		result.PreFilter = status.wire()
		s.narrow(only, result)
		if !status.OK() {
			return nil
		}
	}
	if !call.Filter {
		return nil
	}
	filterer, ok := s.plugin.(Filterer)
	if !ok {
		return errNoStep
	}
	if status := s.preFilterOnce(cycle, pod); !status.OK() {
		if status.code() != CodeSkip {
			result.Filter = status.wire()
		}
		return nil
	}
	nodes, err := s.cluster.inSet(call.Nodes)
	if err != nil {
		return err
	}
	verdicts := make([]uint32, len(nodes))
	var reasons reasonTable
	for i, node := range nodes {
		if status := filterer.Filter(cycle, pod, node); !status.OK() {
			verdicts[i] = reasons.number(status)
		}
	}
	if len(reasons.statuses) > 0 {
		result.Verdicts, result.Reasons = verdicts, reasons.statuses
	}
	return nil
}

func (s *Session) preFilter(cycle *Cycle, pod *Pod) ([]string, *Status) {
	cycle.preFiltered = true
	filterer, ok := s.plugin.(PreFilterer)
	if !ok {
		return nil, nil
	}
	only, status := filterer.PreFilter(cycle, pod)
	cycle.preFilter = status
	return only, status
}

// preFilterOnce runs PreFilter when this cycle has not yet, since its verdict was remembered from another.
func (s *Session) preFilterOnce(cycle *Cycle, pod *Pod) *Status {
	if !cycle.preFiltered {
		s.preFilter(cycle, pod)
	}
	return cycle.preFilter
}

func (s *Session) narrow(only []string, result *pluginv1.FilterAnswer) {
	if only == nil {
		return
	}
	result.Narrows = true
	var nodes []*Node
	for _, name := range only {
		if node := s.cluster.NodeNamed(name); node != nil {
			nodes = append(nodes, node)
		} else {
			result.OnlyAbsent = append(result.OnlyAbsent, name)
		}
	}
	result.Only = nodeSet(nodes)
}

func (s *Session) judge(cycle *Cycle, call *pluginv1.JudgeCall, answer *pluginv1.Answer) error {
	pod, err := s.pod(call.Pod)
	if err != nil {
		return err
	}
	filterer, ok := s.plugin.(Filterer)
	if !ok {
		return errNoStep
	}
	preFilter := s.preFilterOnce(cycle, pod)
	statuses := make([]*pluginv1.Status, 0, len(call.Hypotheses))
	for _, hypothesis := range call.Hypotheses {
		status := preFilter
		switch preFilter.code() {
		case CodeSkip:
			status = nil
		case CodeSuccess:
			status = s.judgeOne(cycle, pod, filterer, hypothesis)
		}
		statuses = append(statuses, status.wire())
	}
	answer.Step = &pluginv1.Answer_Judge{Judge: &pluginv1.JudgeAnswer{Statuses: statuses}}
	return nil
}

func (s *Session) judgeOne(cycle *Cycle, pod *Pod, filterer Filterer, hypothesis *pluginv1.Hypothesis) *Status {
	node := s.cluster.Node(hypothesis.Node)
	if node == nil {
		return Errorf("the call names node %d, which was not told", hypothesis.Node)
	}
	if len(hypothesis.Changes) == 0 {
		return filterer.Filter(cycle, pod, node)
	}
	changed := cycle.clone()
	changer, _ := s.plugin.(PodChanger)
	for _, change := range hypothesis.Changes {
		other, err := s.pod(change.Pod)
		if err != nil {
			return Errorf("%v", err)
		}
		var status *Status
		if change.Added {
			node = node.with(other)
			if changer != nil {
				status = changer.AddPod(changed, pod, other, node)
			}
		} else {
			node = node.without(other.ID)
			if changer != nil {
				status = changer.RemovePod(changed, pod, other, node)
			}
		}
		if !status.OK() {
			return status
		}
	}
	return filterer.Filter(changed, pod, node)
}

func (s *Session) score(cycle *Cycle, call *pluginv1.ScoreCall, answer *pluginv1.Answer) error {
	pod, err := s.pod(call.Pod)
	if err != nil {
		return err
	}
	nodes, err := s.cluster.inSet(call.Nodes)
	if err != nil {
		return err
	}
	result := &pluginv1.ScoreAnswer{}
	answer.Step = &pluginv1.Answer_Score{Score: result}
	if preScorer, ok := s.plugin.(PreScorer); ok && call.PreScore {
		status := preScorer.PreScore(cycle, pod, nodes)
		result.PreScore = status.wire()
		if !status.OK() {
			return nil
		}
	}
	if !call.Score {
		return nil
	}
	scorer, ok := s.plugin.(Scorer)
	if !ok {
		return errNoStep
	}
	result.Scores = make([]int64, len(nodes))
	for i, node := range nodes {
		score, status := scorer.Score(cycle, pod, node)
		if !status.OK() {
			return fmt.Errorf("node %s: %v", node.Name, status)
		}
		result.Scores[i] = score
	}
	normalizer, ok := s.plugin.(Normalizer)
	if !ok {
		return nil
	}
	result.Normalized = append([]int64(nil), result.Scores...)
	if status := normalizer.NormalizeScore(cycle, pod, nodes, result.Normalized); !status.OK() {
		result.Score = status.wire()
	}
	return nil
}
