// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"errors"
	"sync"
	"time"

	"berth.dev/sdk/go/pluginv1"
)

// Binding is what PreBind and Bind work on.
type Binding struct {
	Cycle *Cycle
	Pod   *Pod
	Node  *Node
	run   *bindingRun
}

// ObjectRef names an object: {"PersistentVolumeClaim", "default", "data"}.
type ObjectRef struct {
	Kind      string
	Namespace string
	Name      string
}

// Patch has the scheduler change an object by a merge patch, if it still has this UID and resource version; either may
// be empty. The result is the object's new resource version.
func (b *Binding) Patch(ctx context.Context, object ObjectRef, uid, resourceVersion, mergePatch string) (string, error) {
	return b.run.work(ctx, &pluginv1.Work{Work: &pluginv1.Work_Patch{Patch: &pluginv1.Patch{
		Object: object.wire(), Uid: uid, ResourceVersion: resourceVersion, MergePatch: mergePatch,
	}}})
}

// Bind has the scheduler write that the pod has its node. Only in Bind.
func (b *Binding) Bind(ctx context.Context) error {
	_, err := b.run.work(ctx, &pluginv1.Work{Work: &pluginv1.Work_Bind{Bind: true}})
	return err
}

// AwaitChange waits until one of the objects, which must be of kinds that the plugin has asked for, was changed; false:
// the time is over. Zero: there is no limit.
func (b *Binding) AwaitChange(ctx context.Context, timeout time.Duration, objects ...ObjectRef) (bool, error) {
	wait := &objectWait{objects: objects, woken: make(chan bool, 1)}
	if timeout > 0 {
		wait.until = time.Now().Add(timeout)
	}
	b.run.begin(func(run *bindingRun) { run.waits = append(run.waits, wait) })
	defer b.run.resume(func(run *bindingRun) {
		for i, each := range run.waits {
			if each == wait {
				run.waits = append(run.waits[:i], run.waits[i+1:]...)
				break
			}
		}
	})
	select {
	case changed := <-wait.woken:
		return changed, nil
	case <-ctx.Done():
		return false, ctx.Err()
	case <-b.run.ctx.Done():
		return false, b.run.ctx.Err()
	}
}

func (o ObjectRef) wire() *pluginv1.ObjectRef {
	return &pluginv1.ObjectRef{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}
}

type objectWait struct {
	objects []ObjectRef
	until   time.Time // zero: no limit
	woken   chan bool
}

type workResult struct {
	result string
	err    error
}

// bindingRun is PreBind or Bind of one pod: a goroutine of the plugin, and what it asks of the scheduler. The scheduler
// calls again and again; each call is answered as soon as the goroutine has something to say, or after a while with the
// promise to wake the scheduler.
type bindingRun struct {
	session *Session
	isBind  bool
	ctx     context.Context
	cancel  context.CancelFunc

	mu          sync.Mutex
	changed     *sync.Cond
	running     bool // the plugin is at work, and does not wait for the scheduler
	done        bool
	status      *Status
	err         error
	asked       []*pluginv1.Work // since the last answer
	works       []chan workResult
	waits       []*objectWait
	waitingCall uint64 // was answered with the promise; 0: none
}

func newBindingRun(session *Session, cycle *Cycle, isBind bool) *bindingRun {
	run := &bindingRun{session: session, isBind: isBind, running: true}
	run.ctx, run.cancel = context.WithCancel(cycle.ctx)
	run.changed = sync.NewCond(&run.mu)
	return run
}

// start lets the plugin work.
func (r *bindingRun) start(binding *Binding, step func(context.Context, *Binding) *Status) {
	go func() {
		var status *Status
		var err error
		func() {
			defer recoverTo(&err)
			status = step(r.ctx, binding)
		}()
		r.tell(func() {
			r.running, r.done, r.status, r.err = false, true, status, err
			r.cancel()
		})
	}()
}

// tell changes what the scheduler should know, and has it ask if it does not.
func (r *bindingRun) tell(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.changed.Broadcast()
	if r.waitingCall != 0 {
		wake := &pluginv1.BindingWake{Call: r.waitingCall}
		r.waitingCall = 0
		r.session.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Wake{Wake: wake}})
	}
}

// begin is when the plugin begins to wait for the scheduler, resume when it goes on.
func (r *bindingRun) begin(change func(*bindingRun)) {
	r.tell(func() {
		r.running = false
		change(r)
	})
}

func (r *bindingRun) resume(change func(*bindingRun)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = !r.done
	change(r)
}

func (r *bindingRun) work(ctx context.Context, work *pluginv1.Work) (string, error) {
	answer := make(chan workResult, 1)
	r.begin(func(*bindingRun) {
		r.asked = append(r.asked, work)
		r.works = append(r.works, answer)
	})
	defer r.resume(func(*bindingRun) {})
	select {
	case result := <-answer:
		return result.result, result.err
	case <-ctx.Done():
		return "", ctx.Err()
	case <-r.ctx.Done():
		return "", r.ctx.Err()
	}
}

// wake gives the plugin what the call brings.
func (r *bindingRun) wake(call *pluginv1.BindingCall) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waitingCall = 0
	switch call.Reason {
	case pluginv1.BindingCall_ANSWERED:
		if int(call.Work) >= len(r.works) || r.works[call.Work] == nil {
			return
		}
		result := workResult{result: call.Result}
		if call.Error != "" {
			result.err = errors.New(call.Error)
		}
		r.works[call.Work] <- result
		r.works[call.Work] = nil
		r.running = true
	case pluginv1.BindingCall_CHANGED, pluginv1.BindingCall_DEADLINE:
		isChange := call.Reason == pluginv1.BindingCall_CHANGED
		for _, wait := range r.waits {
			// The scheduler's clock said that the first of the deadlines has come.
			if isChange || (!wait.until.IsZero() && r.isFirst(wait)) {
				select {
				case wait.woken <- isChange:
				default:
				}
				r.running = true
			}
		}
	}
}

func (r *bindingRun) isFirst(wait *objectWait) bool {
	for _, other := range r.waits {
		if !other.until.IsZero() && other.until.Before(wait.until) {
			return false
		}
	}
	return true
}

// answerCall waits until the plugin has something to say, and says it.
func (r *bindingRun) answerCall(call *pluginv1.Call) {
	patience := time.Duration(call.TimeoutMicros) * time.Microsecond / 2
	isLate := false
	timer := time.AfterFunc(patience, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		isLate = true
		r.changed.Broadcast()
	})
	defer timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.running && !isLate && r.ctx.Err() == nil {
		r.changed.Wait()
	}
	answer := &pluginv1.Answer{Id: call.Id}
	result := &pluginv1.BindingAnswer{Status: r.status.wire(), Works: r.asked}
	r.asked = nil
	if !r.done {
		result.Status = &pluginv1.Status{Code: pluginv1.Code_WAIT}
		result.WillWake = r.running
		if r.running {
			r.waitingCall = call.Id
		}
		r.describeWaits(result)
	}
	if r.isBind {
		answer.Step = &pluginv1.Answer_Bind{Bind: result}
	} else {
		answer.Step = &pluginv1.Answer_PreBind{PreBind: result}
	}
	r.session.sendAnswer(answer, r.err)
}

func (r *bindingRun) describeWaits(result *pluginv1.BindingAnswer) {
	var first time.Time
	for _, wait := range r.waits {
		for _, object := range wait.objects {
			result.WakeOn = append(result.WakeOn, object.wire())
		}
		if !wait.until.IsZero() && (first.IsZero() || wait.until.Before(first)) {
			first = wait.until
		}
	}
	if !first.IsZero() {
		result.WakeAfterMillis = uint64(max(time.Until(first).Milliseconds(), 1))
	}
}

func (s *Session) preBind(cycle *Cycle, call *pluginv1.Call, step *pluginv1.BindingCall) error {
	binder, ok := s.plugin.(PreBinder)
	if !ok {
		return errNoStep
	}
	return s.binding(cycle, call, step, &cycle.preBind, false, binder.PreBind)
}

func (s *Session) bind(cycle *Cycle, call *pluginv1.Call, step *pluginv1.BindingCall) error {
	binder, ok := s.plugin.(Binder)
	if !ok {
		return errNoStep
	}
	return s.binding(cycle, call, step, &cycle.bind, true, binder.Bind)
}

func (s *Session) binding(cycle *Cycle, call *pluginv1.Call, step *pluginv1.BindingCall, run **bindingRun, isBind bool,
	plugin func(context.Context, *Binding) *Status) error {
	if *run == nil || step.Reason == pluginv1.BindingCall_START {
		pod, node, err := s.at(step.Pod, step.Node)
		if err != nil {
			return err
		}
		if *run != nil {
			(*run).cancel()
		}
		*run = newBindingRun(s, cycle, isBind)
		(*run).start(&Binding{Cycle: cycle, Pod: pod, Node: node, run: *run}, plugin)
	} else {
		(*run).wake(step)
	}
	go (*run).answerCall(call)
	return nil
}

// endBindings lets the plugin stop what it still does for the pod.
func (c *Cycle) endBindings() {
	for _, run := range []*bindingRun{c.preBind, c.bind} {
		if run != nil {
			run.cancel()
		}
	}
	c.preBind, c.bind = nil, nil
}
