// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"berth.dev/sdk/go/pluginv1"
)

type allPass struct{}

func (allPass) Filter(*Cycle, *Pod, *Node) *Status { return nil }

func TestVersionOfTheContractIsChecked(t *testing.T) {
	s := open(t, func(*Session) (any, error) { return allPass{}, nil })
	refusal := s.hello(&pluginv1.Hello{Major: 2, Minor: 3}).Refusal
	if refusal != "the scheduler speaks version 2.3 of the contract, this plugin 1.0" {
		t.Errorf("refused: %q", refusal)
	}
	if answer := s.ask(filterCall(1)); answer.Error != "the scheduler has not said hello" {
		t.Errorf("answered: %v", answer)
	}
	if welcome := s.hello(&pluginv1.Hello{Major: 1, Minor: 99}); welcome.Refusal != "" {
		t.Errorf("a later minor version was refused: %s", welcome.Refusal)
	}
}

func TestProblemsOfTheStartAreTold(t *testing.T) {
	for _, test := range []struct {
		open    Open
		points  []pluginv1.Point
		refusal string
	}{
		{func(*Session) (any, error) { return nil, errors.New("no such zone") }, nil, "no such zone"},
		{func(*Session) (any, error) { panic("oops") }, nil, "the plugin panicked: oops"},
		{func(*Session) (any, error) { return 42, nil }, nil, "int has the method of no extension point"},
		{func(*Session) (any, error) { return allPass{}, nil }, []pluginv1.Point{pluginv1.Point_SCORE},
			"the plugin has no SCORE, at which the scheduler's configuration enables it"},
		{func(s *Session) (any, error) {
			var args struct{ Zone string }
			return allPass{}, s.DecodeArgs(&args)
		}, nil, `config: json: unknown field "zones"`},
	} {
		s := open(t, test.open)
		welcome := s.hello(&pluginv1.Hello{Major: 1, Args: []byte(`{"zones": []}`), Points: test.points})
		if welcome.Refusal != test.refusal {
			t.Errorf("refused: %q instead of %q", welcome.Refusal, test.refusal)
		}
	}
}

func TestArgumentsAreReadOverDefaults(t *testing.T) {
	args := struct {
		Zone  string
		Limit int
	}{"here", 3}
	s := open(t, func(s *Session) (any, error) { return allPass{}, s.DecodeArgs(&args) })
	s.hello(&pluginv1.Hello{Major: 1, Args: []byte(`{"limit": 5}`)})
	if args.Zone != "here" || args.Limit != 5 {
		t.Errorf("read: %v", args)
	}
}

type talkative struct {
	allPass
	normalizing
}

func (talkative) Kinds() []string        { return []string{"Service", "Tenant.example.com"} }
func (talkative) Dependence() Dependence { return DependsOnNode }
func (talkative) EventsToRegister() []Registration {
	return []Registration{
		{Resource: "Node", Actions: Add | UpdateNodeLabel},
		{Resource: "Pod", Actions: Delete, ByClass: true, Hint: func(pod *Pod, before, after *Object) bool {
			return before != nil && after == nil && before.Meta().Labels["app"] == pod.Name
		}},
	}
}

func TestWelcomeSaysWhatThePluginHas(t *testing.T) {
	s := open(t, func(*Session) (any, error) { return talkative{}, nil })
	welcome := s.hello(&pluginv1.Hello{Major: 1})
	if want := []pluginv1.Point{pluginv1.Point_FILTER, pluginv1.Point_PRE_SCORE, pluginv1.Point_SCORE}; !slices.Equal(welcome.Points, want) {
		t.Errorf("points %v", welcome.Points)
	}
	if !welcome.Normalizes || welcome.DefaultEvents || len(welcome.Kinds) != 2 || len(welcome.Events) != 2 ||
		welcome.Dependence != pluginv1.Dependence_CLASS_AND_NODE {
		t.Errorf("welcome %v", welcome)
	}
	if event := welcome.Events[0]; event.Actions != 1|8 || event.Ask {
		t.Errorf("event %v", event)
	}
	if event := welcome.Events[1]; event.Actions != 2 || !event.Ask || !event.ByTemplate {
		t.Errorf("event %v", event)
	}
}

func TestHintsAreAskedOfTheirRegistration(t *testing.T) {
	s := greeted(t, talkative{})
	call := func(registration uint32) *pluginv1.Answer {
		return s.ask(&pluginv1.Call{Step: &pluginv1.Call_Hint{Hint: &pluginv1.HintCall{
			Registration: registration, Pods: []uint64{1, 2},
			Before: &pluginv1.Object{Kind: "Pod", Document: []byte(`{"metadata": {"labels": {"app": "two"}}}`)},
		}}})
	}
	if queue := call(1).GetHint().GetQueue(); !slices.Equal(queue, []bool{false, true}) {
		t.Errorf("queue %v", queue)
	}
	for _, unknown := range []uint32{0, 2} {
		if answer := call(unknown); answer.Error == "" {
			t.Errorf("registration %d was answered: %v", unknown, answer)
		}
	}
}

type panicking struct{ allPass }

func (panicking) PreFilter(_ *Cycle, pod *Pod) ([]string, *Status) { panic("oops") }

func TestAPanicIsAnAnswer(t *testing.T) {
	s := greeted(t, panicking{})
	for range 2 {
		if answer := s.ask(filterCall(1)); answer.Error != "the plugin panicked: oops" {
			t.Errorf("answered: %v", answer)
		}
	}
}

func TestCallsThatMakeNoSenseAreErrors(t *testing.T) {
	s := greeted(t, allPass{})
	unknownPod := filterCall(1)
	unknownPod.GetFilter().Pod = 99
	for _, test := range []struct {
		call  *pluginv1.Call
		error string
	}{
		{unknownPod, "the call names pod 99, which was not told"},
		{filterCall(4), "the call names node 2, which was not told"},
		{filterCall(0, 0, 0, 0, 0, 0, 1), "the call names node 48, which was not told"},
		{&pluginv1.Call{}, "the plugin has no such step"},
		{&pluginv1.Call{Step: &pluginv1.Call_Score{Score: &pluginv1.ScoreCall{Pod: 2, Score: true}}},
			"the plugin has no such step"},
		{&pluginv1.Call{Step: &pluginv1.Call_Bind{Bind: &pluginv1.BindingCall{Pod: 2}}}, "the plugin has no such step"},
		{&pluginv1.Call{Step: &pluginv1.Call_PostFilter{PostFilter: &pluginv1.PostFilterCall{Pod: 2}}},
			"the plugin has no such step"},
	} {
		if answer := s.ask(test.call); answer.Error != test.error || answer.Step != nil {
			t.Errorf("answered: %v instead of %q", answer, test.error)
		}
	}
	// What was told of the cluster makes no sense.
	s.tell(&pluginv1.Change{Change: &pluginv1.Change_NodeGone{NodeGone: 5}})
	if answer := s.ask(filterCall(1)); !strings.Contains(answer.Error, "node 5 goes, but was not there") {
		t.Errorf("answered: %v", answer)
	}
}

func TestMessagesOfLaterVersionsAreIgnored(t *testing.T) {
	s := greeted(t, allPass{})
	s.in <- &pluginv1.SchedulerMessage{}
	s.tell(&pluginv1.Change{})
	s.note(&pluginv1.Note{})
	if answer := s.ask(filterCall(3)); answer.Error != "" {
		t.Errorf("answered: %v", answer)
	}
}
