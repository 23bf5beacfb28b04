// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"berth.dev/sdk/go/pluginv1"
)

// stateful counts in PreFilter, and rejects nodes with more pods than that. It is told of changes.
type stateful struct{ preFilters int }

type limit struct{ pods int }

func (l *limit) Clone() any { return &limit{l.pods} }

func (p *stateful) PreFilter(cycle *Cycle, _ *Pod) ([]string, *Status) {
	p.preFilters++
	cycle.Set("limit", &limit{0})
	return []string{"a", "c", "gone"}, nil
}

func (p *stateful) Filter(cycle *Cycle, _ *Pod, node *Node) *Status {
	if allowed := cycle.Get("limit").(*limit).pods; len(node.Pods()) > allowed {
		return Unschedulable(fmt.Sprintf("more than %d pods", allowed))
	}
	return nil
}

func (p *stateful) AddPod(cycle *Cycle, _, _ *Pod, _ *Node) *Status {
	cycle.Get("limit").(*limit).pods++
	return nil
}

func (p *stateful) RemovePod(_ *Cycle, _, removed *Pod, _ *Node) *Status {
	if removed.ID != 1 {
		return Errorf("pod %s?", removed.Name)
	}
	return nil
}

func TestFilterAnswersAllNodesAtOnce(t *testing.T) {
	s := greeted(t, &stateful{})
	answer := s.ask(filterCall(3, 2)).GetFilter()
	if !answer.Narrows || !slices.Equal(answer.Only.Bits, []byte{1, 2}) || !slices.Equal(answer.OnlyAbsent, []string{"gone"}) {
		t.Errorf("PreFilter: %v", answer)
	}
	if !slices.Equal(answer.Verdicts, []uint32{1, 0, 0}) || len(answer.Reasons) != 1 ||
		answer.Reasons[0].Reasons[0] != "more than 0 pods" {
		t.Errorf("Filter: %v", answer)
	}
	if answer := s.ask(filterCall(2)).GetFilter(); len(answer.Verdicts) != 0 {
		t.Errorf("all pass: %v", answer)
	}
}

// A cycle whose PreFilter was remembered asks for Filter only.
func TestPreFilterRunsOnceInACycle(t *testing.T) {
	p := &stateful{}
	s := greeted(t, p)
	call := func(cycle uint64, preFilter bool) {
		call := filterCall(1)
		call.Cycle = cycle
		call.GetFilter().PreFilter = preFilter
		call.GetFilter().Filter = !preFilter
		if answer := s.ask(call); answer.Error != "" {
			t.Errorf("answered: %v", answer)
		}
	}
	call(7, true)
	call(7, false)
	if p.preFilters != 1 {
		t.Errorf("ran %d times", p.preFilters)
	}
	s.note(&pluginv1.Note{Note: &pluginv1.Note_CycleEnded{CycleEnded: 7}})
	call(7, false)
	if p.preFilters != 2 {
		t.Errorf("ran %d times after the cycle had ended", p.preFilters)
	}
}

func TestNodesAreJudgedAsTheyWouldBe(t *testing.T) {
	s := greeted(t, &stateful{})
	change := func(pod uint64, added bool) *pluginv1.PodChange { return &pluginv1.PodChange{Pod: pod, Added: added} }
	answer := s.ask(&pluginv1.Call{Cycle: 7, Step: &pluginv1.Call_Judge{Judge: &pluginv1.JudgeCall{
		Pod: 2, Hypotheses: []*pluginv1.Hypothesis{
			{Node: 0},
			{Node: 0, Changes: []*pluginv1.PodChange{change(1, false)}},
			{Node: 1, Changes: []*pluginv1.PodChange{change(1, true)}},
			{Node: 0, Changes: []*pluginv1.PodChange{change(2, false)}},
			{Node: 5},
			{Node: 0},
		},
	}}})
	var text []string
	for _, status := range answer.GetJudge().GetStatuses() {
		text = append(text, fromWire(status).String())
	}
	want := []string{
		"UNSCHEDULABLE: more than 0 pods", "SUCCESS", "SUCCESS", "ERROR: pod two?",
		"ERROR: the call names node 5, which was not told", "UNSCHEDULABLE: more than 0 pods",
	}
	if !slices.Equal(text, want) {
		t.Errorf("judged: %v", text)
	}
}

type normalizing struct{}

func (normalizing) PreScore(_ *Cycle, pod *Pod, nodes []*Node) *Status {
	if pod.Name == "one" {
		return Skip()
	}
	return nil
}

func (normalizing) Score(_ *Cycle, _ *Pod, node *Node) (int64, *Status) {
	return int64(node.ID) * 1000, nil
}

func (normalizing) NormalizeScore(_ *Cycle, _ *Pod, _ []*Node, scores []int64) *Status {
	top := slices.Max(scores)
	for i := range scores {
		scores[i] = scores[i] * 100 / max(top, 1)
	}
	return nil
}

func TestScoresAreRawAndNormalized(t *testing.T) {
	s := greeted(t, normalizing{})
	call := func(pod uint64) *pluginv1.ScoreAnswer {
		return s.ask(&pluginv1.Call{Step: &pluginv1.Call_Score{Score: &pluginv1.ScoreCall{
			Pod: pod, Nodes: &pluginv1.NodeSet{Bits: []byte{3, 2}}, PreScore: true, Score: true,
		}}}).GetScore()
	}
	answer := call(2)
	if !slices.Equal(answer.Scores, []int64{0, 1000, 9000}) || !slices.Equal(answer.Normalized, []int64{0, 11, 100}) {
		t.Errorf("scored: %v", answer)
	}
	if answer := call(1); answer.PreScore.Code != pluginv1.Code_SKIP || len(answer.Scores) != 0 {
		t.Errorf("skipped: %v", answer)
	}
}

// preempting takes the first node that would do without its pods.
type preempting struct{}

func (preempting) PostFilter(_ *Cycle, pod *Pod, failure *Failure) (Nomination, *Status) {
	for i, node := range failure.Nodes() {
		if failure.Status(i).code() != CodeUnschedulable {
			continue
		}
		statuses, err := failure.Judge(Without(node, node.Pods()...))
		if err != nil {
			return Nomination{}, Errorf("%v", err)
		}
		if statuses[0].OK() {
			return Nomination{Override: true, Node: node.Name, Victims: node.Pods()}, nil
		}
	}
	return Nomination{}, Unschedulable("no victims help")
}

func postFilterCall() *pluginv1.Call {
	return &pluginv1.Call{Step: &pluginv1.Call_PostFilter{PostFilter: &pluginv1.PostFilterCall{
		Pod: 2, Verdicts: []uint32{1, 2, 2}, Reasons: []*pluginv1.Status{
			{Code: pluginv1.Code_UNSCHEDULABLE, Plugin: "NodeResourcesFit"},
			{Code: pluginv1.Code_UNSCHEDULABLE_AND_UNRESOLVABLE, Plugin: "NodeAffinity"},
		},
	}}}
}

func TestPostFilterAsksTheSchedulerToJudge(t *testing.T) {
	s := greeted(t, preempting{})
	id := s.call(postFilterCall())
	judge := s.receive().GetJudge()
	if judge.Call != id || len(judge.Hypotheses) != 1 || judge.Hypotheses[0].Changes[0].Pod != 1 {
		t.Fatalf("asked: %v", judge)
	}
	s.tell(nodeChange(2, "meanwhile")) // does not have to wait
	s.in <- &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Judged{
		Judged: &pluginv1.Judged{Id: judge.Id, Statuses: []*pluginv1.Status{{}}},
	}}
	answer := s.receive().GetAnswer().GetPostFilter()
	if !answer.Overrides || answer.NominatedNode != "a" || !slices.Equal(answer.Victims, []uint64{1}) {
		t.Errorf("answered: %v", answer)
	}
}

func TestPostFilterEndsWhenItIsNotWaitedFor(t *testing.T) {
	s := greeted(t, preempting{})
	id := s.call(postFilterCall())
	s.receive()
	s.in <- &pluginv1.SchedulerMessage{Message: &pluginv1.SchedulerMessage_Cancel{Cancel: &pluginv1.Cancel{Call: id}}}
	answer := s.receive().GetAnswer().GetPostFilter()
	if answer.Status.Code != pluginv1.Code_ERROR || !strings.Contains(answer.Status.Reasons[0], "no longer") {
		t.Errorf("answered: %v", answer)
	}
}

type permitting struct{ permit func(cycle *Cycle) *Status }

func (p permitting) Permit(cycle *Cycle, _ *Pod, _ *Node) (*Status, time.Duration) {
	return p.permit(cycle), 1500 * time.Microsecond
}

func permitCall(cycle uint64) *pluginv1.Call {
	return &pluginv1.Call{Cycle: cycle, Step: &pluginv1.Call_Permit{Permit: &pluginv1.NodeCall{Pod: 2, Node: 1}}}
}

func TestAVerdictNeverOvertakesTheAnswer(t *testing.T) {
	s := greeted(t, permitting{func(cycle *Cycle) *Status {
		cycle.Reject("at once")
		cycle.Allow() // too late
		return Wait()
	}})
	answer := s.ask(permitCall(7)).GetPermit()
	if answer.Status.Code != pluginv1.Code_WAIT || answer.TimeoutMillis != 2 {
		t.Errorf("answered: %v", answer)
	}
	verdict := s.receive().GetPermit()
	if verdict.Pod != 2 || verdict.Cycle != 7 || verdict.Allow || verdict.Reason != "at once" {
		t.Errorf("verdict: %v", verdict)
	}
}

func TestVerdictsAreGivenOnceAndInTime(t *testing.T) {
	cycles := make(chan *Cycle, 10)
	s := greeted(t, permitting{func(cycle *Cycle) *Status {
		cycles <- cycle
		return Wait()
	}})
	s.ask(permitCall(7))
	cycle := <-cycles
	cycle.Allow()
	cycle.Reject("again")
	if verdict := s.receive().GetPermit(); !verdict.Allow {
		t.Errorf("verdict: %v", verdict)
	}
	s.ask(permitCall(8))
	s.note(&pluginv1.Note{Note: &pluginv1.Note_CycleEnded{CycleEnded: 8}})
	cycle = <-cycles
	<-cycle.Context().Done()
	cycle.Allow()
	// Nothing was sent before the answer to this.
	s.ask(permitCall(9))
}

type bindingSteps struct {
	preBind func(ctx context.Context, binding *Binding) *Status
	bound   chan string
}

func (b bindingSteps) PreBind(ctx context.Context, binding *Binding) *Status {
	return b.preBind(ctx, binding)
}
func (b bindingSteps) Bind(ctx context.Context, binding *Binding) *Status {
	if err := binding.Bind(ctx); err != nil {
		return Errorf("%v", err)
	}
	return nil
}
func (b bindingSteps) PostBind(_ *Cycle, pod *Pod, node string) { b.bound <- pod.Name + " on " + node }

func preBindCall(call *pluginv1.BindingCall) *pluginv1.Call {
	call.Pod, call.Node = 2, 1
	return &pluginv1.Call{Cycle: 7, Step: &pluginv1.Call_PreBind{PreBind: call}}
}

func TestPreBindWaitsForWorkAndChanges(t *testing.T) {
	claim := ObjectRef{"PersistentVolumeClaim", "default", "data"}
	s := greeted(t, bindingSteps{preBind: func(ctx context.Context, binding *Binding) *Status {
		version, err := binding.Patch(ctx, claim, "uid", "1", `{"a": 1}`)
		if err != nil || version != "2" {
			return Errorf("patched: %s, %v", version, err)
		}
		if _, err := binding.Patch(ctx, claim, "uid", version, `{"a": 2}`); err == nil || err.Error() != "conflict" {
			return Errorf("patched again: %v", err)
		}
		if changed, err := binding.AwaitChange(ctx, time.Hour, claim); !changed || err != nil {
			return Errorf("awaited: %v, %v", changed, err)
		}
		if changed, err := binding.AwaitChange(ctx, time.Millisecond, claim); changed || err != nil {
			return Errorf("awaited again: %v, %v", changed, err)
		}
		return nil
	}})
	start := s.ask(preBindCall(&pluginv1.BindingCall{})).GetPreBind()
	if start.Status.Code != pluginv1.Code_WAIT || len(start.Works) != 1 || start.WillWake ||
		start.Works[0].GetPatch().GetMergePatch() != `{"a": 1}` {
		t.Errorf("start: %v", start)
	}
	second := s.ask(preBindCall(&pluginv1.BindingCall{Reason: pluginv1.BindingCall_ANSWERED, Result: "2"})).GetPreBind()
	if len(second.Works) != 1 || second.Works[0].GetPatch().GetResourceVersion() != "2" {
		t.Errorf("second: %v", second)
	}
	failed := &pluginv1.BindingCall{Reason: pluginv1.BindingCall_ANSWERED, Work: 1, Error: "conflict"}
	waiting := s.ask(preBindCall(failed)).GetPreBind()
	if len(waiting.Works) != 0 || len(waiting.WakeOn) != 1 || waiting.WakeOn[0].Name != "data" || waiting.WakeAfterMillis == 0 {
		t.Errorf("waiting: %v", waiting)
	}
	again := s.ask(preBindCall(&pluginv1.BindingCall{Reason: pluginv1.BindingCall_CHANGED})).GetPreBind()
	if again.Status.Code != pluginv1.Code_WAIT || again.WakeAfterMillis != 1 {
		t.Errorf("again: %v", again)
	}
	last := s.ask(preBindCall(&pluginv1.BindingCall{Reason: pluginv1.BindingCall_DEADLINE})).GetPreBind()
	if !fromWire(last.Status).OK() {
		t.Errorf("last: %v", last)
	}
}

func TestPreBindThatTakesItsTimeWakesTheScheduler(t *testing.T) {
	done := make(chan struct{})
	s := greeted(t, bindingSteps{preBind: func(context.Context, *Binding) *Status {
		<-done
		return Unschedulable("too slow")
	}})
	call := preBindCall(&pluginv1.BindingCall{})
	call.TimeoutMicros = 2000
	answer := s.ask(call)
	if waiting := answer.GetPreBind(); waiting.Status.Code != pluginv1.Code_WAIT || !waiting.WillWake {
		t.Errorf("waiting: %v", waiting)
	}
	close(done)
	if wake := s.receive().GetWake(); wake.GetCall() != answer.Id {
		t.Errorf("wake: %v", wake)
	}
	last := s.ask(preBindCall(&pluginv1.BindingCall{Reason: pluginv1.BindingCall_WOKEN})).GetPreBind()
	if fromWire(last.Status).String() != "UNSCHEDULABLE: too slow" {
		t.Errorf("last: %v", last)
	}
}

func TestPreBindEndsWithTheAttempt(t *testing.T) {
	ended := make(chan error, 2)
	s := greeted(t, bindingSteps{preBind: func(ctx context.Context, binding *Binding) *Status {
		_, err := binding.AwaitChange(ctx, 0, ObjectRef{Kind: "Service"})
		ended <- err
		return nil
	}})
	s.ask(preBindCall(&pluginv1.BindingCall{}))
	s.note(&pluginv1.Note{Note: &pluginv1.Note_Unreserve{Unreserve: &pluginv1.Unreserve{Cycle: 7, Pod: 2, Node: 1}}})
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	s.ask(preBindCall(&pluginv1.BindingCall{}))
	s.note(&pluginv1.Note{Note: &pluginv1.Note_CycleEnded{CycleEnded: 7}})
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
}

func TestAPanicInPreBindIsAnAnswer(t *testing.T) {
	s := greeted(t, bindingSteps{preBind: func(context.Context, *Binding) *Status { panic("oops") }})
	if answer := s.ask(preBindCall(&pluginv1.BindingCall{})); answer.Error != "the plugin panicked: oops" {
		t.Errorf("answered: %v", answer)
	}
}

func TestBindIsTheSchedulersWork(t *testing.T) {
	bound := make(chan string, 1)
	s := greeted(t, bindingSteps{bound: bound})
	call := func(binding *pluginv1.BindingCall) *pluginv1.BindingAnswer {
		binding.Pod, binding.Node = 2, 1
		return s.ask(&pluginv1.Call{Cycle: 7, Step: &pluginv1.Call_Bind{Bind: binding}}).GetBind()
	}
	if answer := call(&pluginv1.BindingCall{}); len(answer.Works) != 1 || !answer.Works[0].GetBind() {
		t.Errorf("start: %v", answer)
	}
	if answer := call(&pluginv1.BindingCall{Reason: pluginv1.BindingCall_ANSWERED}); !fromWire(answer.Status).OK() {
		t.Errorf("done: %v", answer)
	}
	s.note(&pluginv1.Note{Note: &pluginv1.Note_PostBind{PostBind: &pluginv1.PostBind{Cycle: 7, Pod: 2, Node: "b"}}})
	if told := <-bound; told != "two on b" {
		t.Errorf("told: %s", told)
	}
}

type queueing struct{}

func (queueing) PreEnqueue(pod *Pod, preempting bool) *Status {
	if preempting {
		return Pending("victims of " + pod.Name)
	}
	return nil
}

func (queueing) SortKey(pod *Pod) SortKey {
	return SortKey{Text(pod.Name), Number(-3), ByQueueTime(), ByAttempts()}
}
func (queueing) Reserve(_ *Cycle, pod *Pod, node *Node) *Status {
	return Unschedulable(pod.Name + " at " + node.Name)
}
func (queueing) Unreserve(*Cycle, *Pod, *Node) {}

func TestStepsOfTheQueueAndReserve(t *testing.T) {
	s := greeted(t, queueing{})
	gates := s.ask(&pluginv1.Call{Step: &pluginv1.Call_PreEnqueue{
		PreEnqueue: &pluginv1.PreEnqueueCall{Pods: []uint64{1, 2}, Preempting: []uint64{2}},
	}}).GetPreEnqueue()
	if len(gates.Statuses) != 2 || !fromWire(gates.Statuses[0]).OK() ||
		fromWire(gates.Statuses[1]).String() != "PENDING: victims of two" {
		t.Errorf("gates: %v", gates)
	}
	keys := s.ask(&pluginv1.Call{Step: &pluginv1.Call_SortKey{SortKey: &pluginv1.SortKeyCall{Pods: []uint64{1}}}}).GetSortKey()
	parts := keys.Keys[0].Parts
	if string(parts[0].GetText()) != "one" || parts[1].GetNumber() != -3 || !parts[2].GetQueued() || !parts[3].GetAttempts() {
		t.Errorf("keys: %v", keys)
	}
	reserved := s.ask(&pluginv1.Call{Step: &pluginv1.Call_Reserve{Reserve: &pluginv1.NodeCall{Pod: 2, Node: 9}}}).GetReserve()
	if fromWire(reserved).String() != "UNSCHEDULABLE: two at c" {
		t.Errorf("reserved: %v", reserved)
	}
}
