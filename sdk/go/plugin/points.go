// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"time"

	"berth.dev/sdk/go/pluginv1"
)

// Steps are called one at a time for each session, on a cluster that does not change meanwhile; they should be quick,
// since the scheduler waits. PreBind, Bind and PostBind run on goroutines of their own and may block.

// PreEnqueuer keeps pods out of the queue. preempting: the pod's victims are still on their way out.
type PreEnqueuer interface {
	PreEnqueue(pod *Pod, preempting bool) *Status
}

// QueueSorter orders the queue: pods are tried in ascending order of their keys.
type QueueSorter interface {
	SortKey(pod *Pod) SortKey
}

// PreFilterer looks at a pod before its nodes are filtered.
type PreFilterer interface {
	// PreFilter may name the only nodes that are worth looking at; nil stands for all of them. Skip leaves Filter out
	// in this cycle; a rejection ends it.
	PreFilter(cycle *Cycle, pod *Pod) (only []string, status *Status)
}

// PodChanger keeps up what PreFilter remembered in the cycle while the scheduler considers nodes with other pods than
// they have. Values in the cycle that have a method Clone() any are cloned before; others are shared.
type PodChanger interface {
	AddPod(cycle *Cycle, pod, added *Pod, node *Node) *Status
	RemovePod(cycle *Cycle, pod, removed *Pod, node *Node) *Status
}

// Filterer says whether the pod can go to the node.
type Filterer interface {
	Filter(cycle *Cycle, pod *Pod, node *Node) *Status
}

// PostFilterer is asked when no node passes.
type PostFilterer interface {
	PostFilter(cycle *Cycle, pod *Pod, failure *Failure) (Nomination, *Status)
}

// PreScorer looks at the nodes that passed before they are scored. Skip: the plugin has no preference.
type PreScorer interface {
	PreScore(cycle *Cycle, pod *Pod, nodes []*Node) *Status
}

// Scorer prefers nodes: the higher, the better. Between 0 and 100, unless it is a Normalizer, too.
type Scorer interface {
	Score(cycle *Cycle, pod *Pod, node *Node) (int64, *Status)
}

// Normalizer changes scores, which lie parallel to the nodes, to values between 0 and 100.
type Normalizer interface {
	NormalizeScore(cycle *Cycle, pod *Pod, nodes []*Node, scores []int64) *Status
}

// Reserver is told that the pod has taken a node, and whether it has lost it again.
type Reserver interface {
	Reserve(cycle *Cycle, pod *Pod, node *Node) *Status
	// Unreserve is told whether or not Reserve was. Node is nil when it has gone.
	Unreserve(cycle *Cycle, pod *Pod, node *Node)
}

// Permitter has the last word before the pod is bound: it allows, rejects or lets it wait, for no longer than the
// duration. A pod that waits is let go by Cycle.Allow or Cycle.Reject, from any goroutine.
type Permitter interface {
	Permit(cycle *Cycle, pod *Pod, node *Node) (*Status, time.Duration)
}

// PreBinder prepares the node for the pod. May block; ctx ends with the attempt.
type PreBinder interface {
	PreBind(ctx context.Context, binding *Binding) *Status
}

// PreFlighter says before PreBind whether there is anything to do (Skip: there is not), and whether other plugins may
// do their part at the same time.
type PreFlighter interface {
	PreBindPreFlight(cycle *Cycle, pod *Pod, node *Node) (status *Status, allowParallel bool)
}

// Binder binds the pod, or says Skip. May block; ctx ends with the attempt.
type Binder interface {
	Bind(ctx context.Context, binding *Binding) *Status
}

// PostBinder is told that the pod is bound. May block. Node is the node's name: it may have gone.
type PostBinder interface {
	PostBind(cycle *Cycle, pod *Pod, node string)
}

// EventRegistrar says when pods that the plugin rejected are worth another attempt. Without it, any change is reason
// enough that upstream would take for one by default.
type EventRegistrar interface {
	EventsToRegister() []Registration
}

// KindUser names kinds of objects that Cluster has besides nodes and pods: "Service", "Tenant.example.com".
type KindUser interface {
	Kinds() []string
}

// ImageUser says whether Cluster has container images.
type ImageUser interface {
	UsesImages() bool
}

// Dependence says what verdicts of PreFilter, Filter and Score follow from. The less, the more of them are remembered
// and not asked for again.
type Dependence int32

const (
	// DependsOnAnything: every cycle asks.
	DependsOnAnything = Dependence(pluginv1.Dependence_ANYTHING)
	// DependsOnNode: on the pod's class, and the node with the pods on it.
	DependsOnNode = Dependence(pluginv1.Dependence_CLASS_AND_NODE)
	// DependsOnNodeObject: on the pod's class and the node's own object.
	DependsOnNodeObject = Dependence(pluginv1.Dependence_CLASS_AND_NODE_OBJECT)
)

// Dependent is a plugin whose verdicts may be remembered.
type Dependent interface {
	Dependence() Dependence
}

// Actions are bits.
type Actions uint32

const (
	Add Actions = 1 << iota
	Delete
	UpdateNodeAllocatable
	UpdateNodeLabel
	UpdateNodeTaint
	UpdateNodeCondition
	UpdateNodeAnnotation
	UpdateNodeDeclaredFeature
	UpdatePodLabel
	UpdatePodScaleDown
	UpdatePodToleration
	UpdatePodSchedulingGatesEliminated
	UpdatePodGeneratedResourceClaim

	Update = Actions(0x1ffc)
	All    = Actions(0x1fff)
)

// Registration names changes of the cluster after which pods that were rejected may be tried again.
type Registration struct {
	// Resource is "Node", "Pod", "PersistentVolumeClaim", "*", or another kind as "Tenant.example.com".
	Resource string
	Actions  Actions
	// Hint says whether the change could help this pod; nil: it always could. Before is nil for an object that is new,
	// after for one that is gone.
	Hint func(pod *Pod, before, after *Object) bool
	// ByClass: Hint says the same for all pods of a class.
	ByClass bool
}

// SortKey is compared part by part; a shorter one comes first.
type SortKey []SortPart

// SortPart is one of Number, Text, ByQueueTime and ByAttempts.
type SortPart struct{ part *pluginv1.SortPart }

// Number sorts by a number.
func Number(n int64) SortPart {
	return SortPart{&pluginv1.SortPart{Part: &pluginv1.SortPart_Number{Number: n}}}
}

// Text sorts by bytes.
func Text(text string) SortPart {
	return SortPart{&pluginv1.SortPart{Part: &pluginv1.SortPart_Text{Text: []byte(text)}}}
}

// ByQueueTime sorts by when the pod came into the queue.
func ByQueueTime() SortPart {
	return SortPart{&pluginv1.SortPart{Part: &pluginv1.SortPart_Queued{Queued: true}}}
}

// ByAttempts sorts by how often the pod was tried.
func ByAttempts() SortPart {
	return SortPart{&pluginv1.SortPart{Part: &pluginv1.SortPart_Attempts{Attempts: true}}}
}

// Nomination is what PostFilter brings about.
type Nomination struct {
	// Override replaces what the pod was promised before by Node, which may be empty.
	Override bool
	Node     string
	// Victims are pods on that node that the scheduler is to evict.
	Victims []*Pod
	// TriedPreemption is counted in the scheduler's metrics.
	TriedPreemption bool
}

func pointsOf(p any) []pluginv1.Point {
	var points []pluginv1.Point
	add := func(has bool, point pluginv1.Point) {
		if has {
			points = append(points, point)
		}
	}
	_, has := p.(PreEnqueuer)
	add(has, pluginv1.Point_PRE_ENQUEUE)
	_, has = p.(QueueSorter)
	add(has, pluginv1.Point_QUEUE_SORT)
	_, has = p.(PreFilterer)
	add(has, pluginv1.Point_PRE_FILTER)
	_, has = p.(Filterer)
	add(has, pluginv1.Point_FILTER)
	_, has = p.(PostFilterer)
	add(has, pluginv1.Point_POST_FILTER)
	_, has = p.(PreScorer)
	add(has, pluginv1.Point_PRE_SCORE)
	_, has = p.(Scorer)
	add(has, pluginv1.Point_SCORE)
	_, has = p.(Reserver)
	add(has, pluginv1.Point_RESERVE)
	_, has = p.(Permitter)
	add(has, pluginv1.Point_PERMIT)
	_, has = p.(PreBinder)
	add(has, pluginv1.Point_PRE_BIND)
	_, has = p.(Binder)
	add(has, pluginv1.Point_BIND)
	_, has = p.(PostBinder)
	add(has, pluginv1.Point_POST_BIND)
	return points
}
