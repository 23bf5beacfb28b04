// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"sync"

	"berth.dev/sdk/go/pluginv1"
)

// Cluster mirrors what the scheduler knows. Any goroutine; during a step it does not change.
type Cluster struct {
	mu       sync.RWMutex
	nodes    []*Node // by ID; nil where there is none
	live     int
	byName   map[string]uint32
	pods     map[uint64]*placedPod
	byUID    map[string]uint64
	objects  map[string]map[string]*Object // by kind, then "namespace/name"
	images   map[string]*Image
	complete bool
}

type placedPod struct {
	pod       *Pod
	node      uint32
	isPlaced  bool
	nominated string
}

func newCluster() *Cluster {
	return &Cluster{
		byName:  map[string]uint32{},
		pods:    map[uint64]*placedPod{},
		byUID:   map[string]uint64{},
		objects: map[string]map[string]*Object{},
		images:  map[string]*Image{},
	}
}

// Complete says whether everything that there was has been told.
func (c *Cluster) Complete() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.complete
}

// Node with this ID; nil: there is none.
func (c *Cluster) Node(id uint32) *Node {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.node(id)
}

func (c *Cluster) node(id uint32) *Node {
	if int(id) >= len(c.nodes) {
		return nil
	}
	return c.nodes[id]
}

// NodeNamed finds a node by its name; nil: there is none.
func (c *Cluster) NodeNamed(name string) *Node {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if id, ok := c.byName[name]; ok {
		return c.nodes[id]
	}
	return nil
}

// Nodes are all nodes, in ascending order of their IDs.
func (c *Cluster) Nodes() []*Node {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.liveNodes()
}

func (c *Cluster) liveNodes() []*Node {
	nodes := make([]*Node, 0, c.live)
	for _, node := range c.nodes {
		if node != nil {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// Pod with this ID; nil: there is none.
func (c *Cluster) Pod(id uint64) *Pod {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.pods[id]; known != nil {
		return known.pod
	}
	return nil
}

// PodByUID finds a pod by the UID of its object; nil: there is none.
func (c *Cluster) PodByUID(uid string) *Pod {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.pods[c.byUID[uid]]; known != nil {
		return known.pod
	}
	return nil
}

// Pods are all pods, in no order.
func (c *Cluster) Pods() []*Pod {
	c.mu.RLock()
	defer c.mu.RUnlock()
	pods := make([]*Pod, 0, len(c.pods))
	for _, known := range c.pods {
		pods = append(pods, known.pod)
	}
	return pods
}

// NodeOf is where the pod counts as placed; nil: nowhere.
func (c *Cluster) NodeOf(pod *Pod) *Node {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.pods[pod.ID]; known != nil && known.isPlaced {
		return c.node(known.node)
	}
	return nil
}

// NominatedNode is the name of the node that the pod was promised; empty: none.
func (c *Cluster) NominatedNode(pod *Pod) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.pods[pod.ID]; known != nil {
		return known.nominated
	}
	return ""
}

// Object of a kind that the plugin has asked for; nil: there is none. Namespace is empty for objects without one.
func (c *Cluster) Object(kind, namespace, name string) *Object {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.objects[kind][objectKey(namespace, name)]
}

// Objects are all of that kind, in no order.
func (c *Cluster) Objects(kind string) []*Object {
	c.mu.RLock()
	defer c.mu.RUnlock()
	objects := make([]*Object, 0, len(c.objects[kind]))
	for _, object := range c.objects[kind] {
		objects = append(objects, object)
	}
	return objects
}

// Image is a container image that nodes hold.
type Image struct {
	Name      string
	SizeBytes int64
	// Nodes that hold it, in the cycle that is under way.
	Nodes uint64
}

// Image of a plugin that is an ImageUser; nil: no node has held it.
func (c *Cluster) Image(name string) *Image {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.images[name]
}

func objectKey(namespace, name string) string { return namespace + "/" + name }

// apply takes changes in. The error says what makes no sense; the mirror is of no use afterwards.
func (c *Cluster) apply(objects *pluginv1.Objects) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, change := range objects.Changes {
		if err := c.applyOne(change); err != nil {
			return err
		}
	}
	c.complete = c.complete || objects.Complete
	return nil
}

func (c *Cluster) applyOne(change *pluginv1.Change) error {
	switch change := change.Change.(type) {
	case *pluginv1.Change_Node:
		return c.setNode(change.Node)
	case *pluginv1.Change_NodeGone:
		node := c.node(change.NodeGone)
		if node == nil {
			return fmt.Errorf("node %d goes, but was not there", change.NodeGone)
		}
		c.nodes[change.NodeGone] = nil
		c.live--
		delete(c.byName, node.Name)
		for _, pod := range node.pods {
			c.pods[pod.ID].isPlaced = false
		}
	case *pluginv1.Change_Pod:
		c.setPod(change.Pod)
	case *pluginv1.Change_PodGone:
		c.unplace(change.PodGone)
		if known := c.pods[change.PodGone]; known != nil {
			if c.byUID[known.pod.UID] == change.PodGone {
				delete(c.byUID, known.pod.UID)
			}
			delete(c.pods, change.PodGone)
		}
	case *pluginv1.Change_Placed:
		known := c.pods[change.Placed.Pod]
		node := c.node(change.Placed.Node)
		if known == nil || node == nil {
			return fmt.Errorf("pod %d comes to node %d, one of which is unknown", change.Placed.Pod, change.Placed.Node)
		}
		c.unplace(change.Placed.Pod)
		known.node, known.isPlaced = node.ID, true
		c.nodes[node.ID] = c.nodes[node.ID].with(known.pod)
	case *pluginv1.Change_Unplaced:
		c.unplace(change.Unplaced)
	case *pluginv1.Change_Object:
		object := newObject(change.Object)
		if c.objects[object.Kind] == nil {
			c.objects[object.Kind] = map[string]*Object{}
		}
		c.objects[object.Kind][objectKey(object.Namespace, object.Name)] = object
	case *pluginv1.Change_ObjectGone:
		delete(c.objects[change.ObjectGone.Kind], objectKey(change.ObjectGone.Namespace, change.ObjectGone.Name))
	case *pluginv1.Change_Nominated:
		if known := c.pods[change.Nominated.Pod]; known != nil {
			known.nominated = change.Nominated.Node
		}
	case *pluginv1.Change_Image:
		image := &Image{Name: change.Image.Name, SizeBytes: change.Image.SizeBytes}
		if history := change.Image.History; len(history) > 0 {
			image.Nodes = history[len(history)-1].Nodes
		}
		c.images[image.Name] = image
	}
	return nil // also for changes of a later minor version
}

// Numbers of nodes are dense: one far beyond is a mistake that would cost a lot of memory.
const mostNodes = 1 << 22

func (c *Cluster) setNode(told *pluginv1.Node) error {
	if told.Id >= mostNodes {
		return fmt.Errorf("node %s cannot have the number %d", told.Name, told.Id)
	}
	for int(told.Id) >= len(c.nodes) {
		c.nodes = append(c.nodes, nil)
	}
	node := &Node{ID: told.Id, Name: told.Name, doc: &document[nodeDocument]{text: told.Document}}
	if before := c.nodes[told.Id]; before != nil {
		if before.Name != told.Name {
			return fmt.Errorf("node %s cannot have the number %d, which is that of %s", told.Name, told.Id, before.Name)
		}
		node.pods = before.pods
	} else {
		c.live++
	}
	c.nodes[told.Id] = node
	c.byName[told.Name] = told.Id
	return nil
}

func (c *Cluster) setPod(told *pluginv1.Pod) {
	pod := &Pod{
		ID: told.Id, UID: told.Uid, Namespace: told.Namespace, Name: told.Name, Class: told.ClassId,
		doc: &document[podDocument]{text: told.Document},
	}
	known := c.pods[pod.ID]
	if known == nil {
		known = &placedPod{}
		c.pods[pod.ID] = known
	}
	known.pod = pod
	c.byUID[pod.UID] = pod.ID
	if known.isPlaced {
		c.nodes[known.node] = c.nodes[known.node].with(pod)
	}
}

func (c *Cluster) unplace(id uint64) {
	known := c.pods[id]
	if known == nil || !known.isPlaced {
		return
	}
	known.isPlaced = false
	c.nodes[known.node] = c.nodes[known.node].without(id)
}

func newObject(told *pluginv1.Object) *Object {
	return &Object{
		Kind: told.Kind, Namespace: told.Namespace, Name: told.Name,
		doc: &document[objectDocument]{text: told.Document},
	}
}

// inSet are the nodes of a set, in ascending order of their IDs. Only on the session's goroutine.
func (c *Cluster) inSet(set *pluginv1.NodeSet) ([]*Node, error) {
	bits := set.GetBits()
	nodes := make([]*Node, 0, c.live)
	for i, b := range bits {
		for bit := 0; b != 0; bit, b = bit+1, b>>1 {
			if b&1 == 0 {
				continue
			}
			node := c.node(uint32(i*8 + bit))
			if node == nil {
				return nil, fmt.Errorf("the call names node %d, which was not told", i*8+bit)
			}
			nodes = append(nodes, node)
		}
	}
	return nodes, nil
}

func nodeSet(nodes []*Node) *pluginv1.NodeSet {
	var bits []byte
	for _, node := range nodes {
		for int(node.ID/8) >= len(bits) {
			bits = append(bits, 0)
		}
		bits[node.ID/8] |= 1 << (node.ID % 8)
	}
	return &pluginv1.NodeSet{Bits: bits}
}
