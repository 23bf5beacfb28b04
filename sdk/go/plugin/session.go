// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"sync"

	"berth.dev/sdk/go/pluginv1"
)

// The version of the contract that this package speaks. A scheduler of the same major version is understood.
const (
	Major = 1
	Minor = 0
)

// Session is what a scheduler's profile and a plugin have with each other, as long as both run.
type Session struct {
	// Scheduler is its name and version.
	Scheduler string
	// Plugin is the name in the scheduler's configuration, Profile the scheduler name the plugin works for.
	Plugin  string
	Profile string
	// Args are pluginConfig's args.config, as JSON; empty: there are none.
	Args json.RawMessage
	// FeatureGates of the scheduler.
	FeatureGates map[string]bool

	cluster *Cluster
	ctx     context.Context
	stream  stream
	sending sync.Mutex
	closed  bool // guarded by sending

	plugin any
	events []Registration
	// Held while the plugin is called: by the session's goroutine, or by that of PostFilter.
	calling sync.Mutex
	cycles  map[uint64]*Cycle
	broken  error // what was told of the cluster makes no sense

	asking    sync.Mutex
	questions map[uint64]chan *pluginv1.Judged
	nextAsked uint64
	canceled  map[uint64]context.CancelFunc // of PostFilter calls that are under way
}

// stream is the plugin's end of gRPC's.
type stream interface {
	Context() context.Context
	Recv() (*pluginv1.SchedulerMessage, error)
	Send(*pluginv1.PluginMessage) error
}

// Cluster mirrors what the scheduler knows.
func (s *Session) Cluster() *Cluster { return s.cluster }

// Context ends with the session.
func (s *Session) Context() context.Context { return s.ctx }

// DecodeArgs reads the arguments into a struct, which keeps its values where the arguments are silent. Fields that the
// struct does not have are an error.
func (s *Session) DecodeArgs(into any) error {
	if len(bytes.TrimSpace(s.Args)) == 0 || string(bytes.TrimSpace(s.Args)) == "null" {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(s.Args))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}

// Activate asks the scheduler to try these pods at once.
func (s *Session) Activate(pods ...*Pod) {
	activate := &pluginv1.Activate{}
	for _, pod := range pods {
		activate.Pods = append(activate.Pods, pod.ID)
	}
	s.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Activate{Activate: activate}})
}

// Event tells users something about the pod. Warning: otherwise it is normal.
func (s *Session) Event(pod *Pod, warning bool, reason, action, note string) {
	kind := "Normal"
	if warning {
		kind = "Warning"
	}
	s.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Event{
		Event: &pluginv1.Event{Pod: pod.ID, Type: kind, Reason: reason, Action: action, Note: note},
	}})
}

// send drops what cannot be sent any more: the session is over then.
func (s *Session) send(message *pluginv1.PluginMessage) {
	s.sending.Lock()
	defer s.sending.Unlock()
	if s.closed {
		return
	}
	if err := s.stream.Send(message); err != nil && s.ctx.Err() == nil {
		log.Printf("berth plugin: cannot send: %v", err)
	}
}

// serve speaks with one scheduler until it has gone.
func serve(name string, open Open, stream stream) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	s := &Session{
		cluster: newCluster(), ctx: ctx, stream: stream,
		cycles: map[uint64]*Cycle{}, questions: map[uint64]chan *pluginv1.Judged{},
		canceled: map[uint64]context.CancelFunc{},
	}
	defer s.close()
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		s.take(name, open, message)
	}
}

// close lets nothing more be sent: the stream is gone when its handler returns.
func (s *Session) close() {
	s.sending.Lock()
	defer s.sending.Unlock()
	s.closed = true
}

func (s *Session) take(name string, open Open, message *pluginv1.SchedulerMessage) {
	switch message := message.Message.(type) {
	case *pluginv1.SchedulerMessage_Hello:
		s.greet(name, open, message.Hello)
	case *pluginv1.SchedulerMessage_Objects:
		s.calling.Lock()
		defer s.calling.Unlock()
		if s.broken == nil {
			s.broken = s.cluster.apply(message.Objects)
		}
	case *pluginv1.SchedulerMessage_Call:
		s.answer(message.Call)
	case *pluginv1.SchedulerMessage_Cancel:
		s.asking.Lock()
		defer s.asking.Unlock()
		if cancel := s.canceled[message.Cancel.Call]; cancel != nil {
			cancel()
		}
	case *pluginv1.SchedulerMessage_Judged:
		s.asking.Lock()
		defer s.asking.Unlock()
		if asked := s.questions[message.Judged.Id]; asked != nil {
			delete(s.questions, message.Judged.Id)
			asked <- message.Judged
		}
	case *pluginv1.SchedulerMessage_Note:
		s.note(message.Note)
	} // others are of a later minor version
}

func (s *Session) greet(name string, open Open, hello *pluginv1.Hello) {
	welcome := &pluginv1.Welcome{Major: Major, Minor: Minor, Name: name}
	if err := s.begin(open, hello); err != nil {
		welcome.Refusal = err.Error()
	} else {
		s.introduce(welcome)
	}
	s.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Welcome{Welcome: welcome}})
}

func (s *Session) begin(open Open, hello *pluginv1.Hello) (err error) {
	defer recoverTo(&err)
	if hello.Major != Major {
		return fmt.Errorf("the scheduler speaks version %d.%d of the contract, this plugin %d.%d",
			hello.Major, hello.Minor, Major, Minor)
	}
	if s.plugin != nil {
		return errors.New("the scheduler has said hello before")
	}
	s.Scheduler, s.Plugin, s.Profile = hello.Scheduler, hello.Plugin, hello.Profile
	s.Args, s.FeatureGates = hello.Args, hello.FeatureGates
	made, err := open(s)
	if err != nil {
		return err
	}
	s.plugin = made
	has := map[pluginv1.Point]bool{}
	for _, point := range pointsOf(made) {
		has[point] = true
	}
	if len(has) == 0 {
		return fmt.Errorf("%T has the method of no extension point", made)
	}
	for _, point := range hello.Points {
		if !has[point] {
			return fmt.Errorf("the plugin has no %s, at which the scheduler's configuration enables it", point)
		}
	}
	return nil
}

func (s *Session) introduce(welcome *pluginv1.Welcome) {
	welcome.Points = pointsOf(s.plugin)
	_, welcome.Normalizes = s.plugin.(Normalizer)
	if user, ok := s.plugin.(KindUser); ok {
		welcome.Kinds = user.Kinds()
	}
	if user, ok := s.plugin.(ImageUser); ok {
		welcome.Images = user.UsesImages()
	}
	if dependent, ok := s.plugin.(Dependent); ok {
		welcome.Dependence = pluginv1.Dependence(dependent.Dependence())
	}
	registrar, ok := s.plugin.(EventRegistrar)
	welcome.DefaultEvents = !ok
	if ok {
		s.events = registrar.EventsToRegister()
	}
	for _, event := range s.events {
		welcome.Events = append(welcome.Events, &pluginv1.Registration{
			Resource: event.Resource, Actions: uint32(event.Actions), Ask: event.Hint != nil, ByTemplate: event.ByClass,
		})
	}
}

func (s *Session) note(note *pluginv1.Note) {
	s.calling.Lock()
	defer s.calling.Unlock()
	if s.plugin == nil {
		return
	}
	switch note := note.Note.(type) {
	case *pluginv1.Note_Unreserve:
		s.unreserve(note.Unreserve)
	case *pluginv1.Note_PostBind:
		s.postBind(note.PostBind)
	case *pluginv1.Note_CycleEnded:
		if cycle := s.cycles[note.CycleEnded]; cycle != nil {
			cycle.end()
			delete(s.cycles, note.CycleEnded)
		}
	}
}

func (s *Session) unreserve(note *pluginv1.Unreserve) {
	pod := s.cluster.Pod(note.Pod)
	cycle := s.cycles[note.Cycle]
	if cycle == nil {
		cycle = newCycle(s, note.Cycle)
		defer cycle.end()
	} else {
		cycle.endBindings()
	}
	if reserver, ok := s.plugin.(Reserver); ok && pod != nil {
		var err error
		func() {
			defer recoverTo(&err)
			reserver.Unreserve(cycle, pod, s.cluster.Node(note.Node))
		}()
		logError("Unreserve", err)
	}
}

func (s *Session) postBind(note *pluginv1.PostBind) {
	pod := s.cluster.Pod(note.Pod)
	binder, ok := s.plugin.(PostBinder)
	if !ok || pod == nil {
		return
	}
	cycle := s.cycles[note.Cycle]
	if cycle == nil {
		cycle = newCycle(s, note.Cycle)
		cycle.end()
	}
	go func() {
		var err error
		func() {
			defer recoverTo(&err)
			binder.PostBind(cycle, pod, note.Node)
		}()
		logError("PostBind", err)
	}()
}

// cycleOf is the cycle of a call, begun if need be.
func (s *Session) cycleOf(call *pluginv1.Call) *Cycle {
	cycle := s.cycles[call.Cycle]
	if cycle == nil {
		cycle = newCycle(s, call.Cycle)
		if call.Cycle != 0 {
			s.cycles[call.Cycle] = cycle
		}
	}
	cycle.setNow(call.Now)
	return cycle
}

func logError(step string, err error) {
	if err != nil {
		log.Printf("berth plugin: %s: %v", step, err)
	}
}

// recoverTo makes an error of a panic: a mistake in one step is not to end the program, and all that others wait for.
func recoverTo(err *error) {
	if panicked := recover(); panicked != nil {
		*err = fmt.Errorf("the plugin panicked: %v", panicked)
		log.Printf("berth plugin: %v\n%s", *err, debug.Stack())
	}
}
