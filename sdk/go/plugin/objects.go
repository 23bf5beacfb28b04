// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"encoding/json"
	"sync"
)

// Meta is what all objects have in their metadata.
type Meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace"`
	UID               string            `json:"uid"`
	ResourceVersion   string            `json:"resourceVersion"`
	CreationTimestamp string            `json:"creationTimestamp"`
	Labels            map[string]string `json:"labels"`
	Annotations       map[string]string `json:"annotations"`
}

// document is JSON that is read when somebody asks. Immutable.
type document[T any] struct {
	text []byte
	once sync.Once
	read T
}

func (d *document[T]) value() *T {
	// What cannot be read stays empty: the scheduler sends what it has read itself.
	d.once.Do(func() { _ = json.Unmarshal(d.text, &d.read) })
	return &d.read
}

type nodeDocument struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Unschedulable bool    `json:"unschedulable"`
		Taints        []Taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Capacity    map[string]Quantity `json:"capacity"`
		Allocatable map[string]Quantity `json:"allocatable"`
	} `json:"status"`
}

// Taint of a node.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// Node is a node as it was at one moment, with the pods on it. Immutable: it can be kept, and read by any goroutine.
type Node struct {
	// ID is small; it is used again when the node is gone.
	ID   uint32
	Name string
	doc  *document[nodeDocument]
	pods []*Pod
}

// JSON is the node's object.
func (n *Node) JSON() json.RawMessage { return n.doc.text }

// Decode reads the node's object into a type of the caller's, such as Kubernetes' Node.
func (n *Node) Decode(into any) error { return json.Unmarshal(n.doc.text, into) }

// Meta of the node's object.
func (n *Node) Meta() *Meta { return &n.doc.value().Metadata }

// Labels of the node; not to be changed.
func (n *Node) Labels() map[string]string { return n.doc.value().Metadata.Labels }

// Annotations of the node; not to be changed.
func (n *Node) Annotations() map[string]string { return n.doc.value().Metadata.Annotations }

// Taints of the node; not to be changed.
func (n *Node) Taints() []Taint { return n.doc.value().Spec.Taints }

// Unschedulable says whether the node is cordoned.
func (n *Node) Unschedulable() bool { return n.doc.value().Spec.Unschedulable }

// Allocatable is how much of each resource pods may have; not to be changed.
func (n *Node) Allocatable() map[string]Quantity { return n.doc.value().Status.Allocatable }

// Capacity is how much of each resource the node has; not to be changed.
func (n *Node) Capacity() map[string]Quantity { return n.doc.value().Status.Capacity }

// Pods on the node, those included that the scheduler has just placed there; not to be changed.
func (n *Node) Pods() []*Pod { return n.pods }

func (n *Node) with(pod *Pod) *Node {
	pods := make([]*Pod, 0, len(n.pods)+1)
	for _, each := range n.pods {
		if each.ID != pod.ID {
			pods = append(pods, each)
		}
	}
	return &Node{ID: n.ID, Name: n.Name, doc: n.doc, pods: append(pods, pod)}
}

func (n *Node) without(id uint64) *Node {
	pods := make([]*Pod, 0, len(n.pods))
	for _, each := range n.pods {
		if each.ID != id {
			pods = append(pods, each)
		}
	}
	return &Node{ID: n.ID, Name: n.Name, doc: n.doc, pods: pods}
}

type podDocument struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		NodeName      string `json:"nodeName"`
		SchedulerName string `json:"schedulerName"`
		Priority      int32  `json:"priority"`
	} `json:"spec"`
}

// Pod is a pod as it was at one moment. Immutable: it can be kept, and read by any goroutine.
type Pod struct {
	// ID is never used again.
	ID        uint64
	UID       string
	Namespace string
	Name      string
	// Class is the same for pods with equal namespaces, labels and specs; 0: it is not known yet.
	Class uint64
	doc   *document[podDocument]
}

// JSON is the pod's object.
func (p *Pod) JSON() json.RawMessage { return p.doc.text }

// Decode reads the pod's object into a type of the caller's, such as Kubernetes' Pod.
func (p *Pod) Decode(into any) error { return json.Unmarshal(p.doc.text, into) }

// Meta of the pod's object.
func (p *Pod) Meta() *Meta { return &p.doc.value().Metadata }

// Labels of the pod; not to be changed.
func (p *Pod) Labels() map[string]string { return p.doc.value().Metadata.Labels }

// Annotations of the pod; not to be changed.
func (p *Pod) Annotations() map[string]string { return p.doc.value().Metadata.Annotations }

// Priority of the pod.
func (p *Pod) Priority() int32 { return p.doc.value().Spec.Priority }

// NodeName is the node in the pod's object, which the scheduler may be ahead of.
func (p *Pod) NodeName() string { return p.doc.value().Spec.NodeName }

// Key is "namespace/name".
func (p *Pod) Key() string { return p.Namespace + "/" + p.Name }

type objectDocument struct {
	Metadata Meta `json:"metadata"`
}

// Object of any kind. Immutable.
type Object struct {
	// Kind is "Service", or "Tenant.example.com".
	Kind      string
	Namespace string
	Name      string
	doc       *document[objectDocument]
}

// JSON is the object.
func (o *Object) JSON() json.RawMessage { return o.doc.text }

// Decode reads the object into a type of the caller's.
func (o *Object) Decode(into any) error { return json.Unmarshal(o.doc.text, into) }

// Meta of the object.
func (o *Object) Meta() *Meta { return &o.doc.value().Metadata }
