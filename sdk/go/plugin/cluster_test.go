// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"slices"
	"strings"
	"testing"

	"berth.dev/sdk/go/pluginv1"
)

func told(t *testing.T, c *Cluster, changes ...*pluginv1.Change) {
	t.Helper()
	if err := c.apply(&pluginv1.Objects{Changes: changes}); err != nil {
		t.Fatal(err)
	}
}

func placed(pod uint64, node uint32) *pluginv1.Change {
	return &pluginv1.Change{Change: &pluginv1.Change_Placed{Placed: &pluginv1.Placed{Pod: pod, Node: node}}}
}

func podsOn(node *Node) string {
	var names []string
	for _, pod := range node.Pods() {
		names = append(names, pod.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestClusterFollowsWhatIsTold(t *testing.T) {
	c := newCluster()
	told(t, c, nodeChange(0, "a"), nodeChange(3, "b"), podChange(1, "one"), podChange(2, "two"), placed(1, 0), placed(2, 0))
	if len(c.Nodes()) != 2 || c.Node(1) != nil || c.Node(99) != nil || c.NodeNamed("b").ID != 3 {
		t.Errorf("nodes: %v", c.Nodes())
	}
	before := c.Node(0)
	if podsOn(before) != "one two" || c.NodeOf(c.Pod(1)).Name != "a" || c.PodByUID("uid-two").ID != 2 {
		t.Errorf("pods on a: %s", podsOn(before))
	}
	// A pod that moves, one that changes, and one that goes.
	told(t, c, placed(1, 3), podChange(2, "renamed"))
	if podsOn(c.Node(0)) != "renamed" || podsOn(c.Node(3)) != "one" {
		t.Errorf("pods: %q and %q", podsOn(c.Node(0)), podsOn(c.Node(3)))
	}
	told(t, c, &pluginv1.Change{Change: &pluginv1.Change_PodGone{PodGone: 2}},
		&pluginv1.Change{Change: &pluginv1.Change_Unplaced{Unplaced: 1}})
	if podsOn(c.Node(0))+podsOn(c.Node(3)) != "" || len(c.Pods()) != 1 || c.NodeOf(c.Pod(1)) != nil {
		t.Errorf("pods: %v", c.Pods())
	}
	if podsOn(before) != "one two" {
		t.Errorf("a node that was kept has changed: %s", podsOn(before))
	}
	// A node that changes keeps its pods; one that goes makes room for another.
	told(t, c, placed(1, 3), nodeChange(3, "b"))
	if podsOn(c.Node(3)) != "one" {
		t.Errorf("pods: %q", podsOn(c.Node(3)))
	}
	told(t, c, &pluginv1.Change{Change: &pluginv1.Change_NodeGone{NodeGone: 3}}, nodeChange(3, "other"))
	if podsOn(c.Node(3)) != "" || c.NodeNamed("b") != nil || c.NodeOf(c.Pod(1)) != nil {
		t.Errorf("pods: %q", podsOn(c.Node(3)))
	}
	told(t, c, &pluginv1.Change{Change: &pluginv1.Change_Nominated{Nominated: &pluginv1.Nominated{Pod: 1, Node: "a"}}})
	if c.NominatedNode(c.Pod(1)) != "a" {
		t.Errorf("nominated: %q", c.NominatedNode(c.Pod(1)))
	}
}

func TestClusterHasObjectsOfOtherKinds(t *testing.T) {
	c := newCluster()
	object := func(name string) *pluginv1.Change {
		return &pluginv1.Change{Change: &pluginv1.Change_Object{Object: &pluginv1.Object{
			Kind: "Service", Namespace: "default", Name: name, Document: []byte(`{"metadata": {"labels": {"a": "b"}}}`),
		}}}
	}
	told(t, c, object("one"), object("two"))
	if len(c.Objects("Service")) != 2 || c.Object("Service", "default", "one").Meta().Labels["a"] != "b" {
		t.Errorf("objects: %v", c.Objects("Service"))
	}
	told(t, c, &pluginv1.Change{Change: &pluginv1.Change_ObjectGone{
		ObjectGone: &pluginv1.ObjectGone{Kind: "Service", Namespace: "default", Name: "one"},
	}})
	if len(c.Objects("Service")) != 1 || c.Object("Service", "default", "one") != nil || len(c.Objects("Pod")) != 0 {
		t.Errorf("objects: %v", c.Objects("Service"))
	}
}

func TestClusterHasImages(t *testing.T) {
	c := newCluster()
	told(t, c, &pluginv1.Change{Change: &pluginv1.Change_Image{Image: &pluginv1.Image{
		Name: "nginx", SizeBytes: 1000, History: []*pluginv1.Image_Spread{{Cycle: 1, Nodes: 1}, {Cycle: 4, Nodes: 3}},
	}}})
	if image := c.Image("nginx"); image.SizeBytes != 1000 || image.Nodes != 3 || c.Image("other") != nil {
		t.Errorf("image: %v", image)
	}
}

func TestClusterRefusesWhatMakesNoSense(t *testing.T) {
	for _, change := range []*pluginv1.Change{
		placed(1, 5), placed(5, 0), nodeChange(1<<30, "far"), nodeChange(0, "another"),
		{Change: &pluginv1.Change_NodeGone{NodeGone: 1}},
	} {
		c := newCluster()
		told(t, c, nodeChange(0, "a"), podChange(1, "one"))
		if err := c.apply(&pluginv1.Objects{Changes: []*pluginv1.Change{change}}); err == nil {
			t.Errorf("accepted: %v", change)
		}
	}
}

func TestNodesAreReadFromTheirDocuments(t *testing.T) {
	c := newCluster()
	told(t, c, nodeChange(0, "a"))
	node := c.Node(0)
	cpu, _ := node.Allocatable()["cpu"].MilliValue()
	pods, _ := node.Allocatable()["pods"].Value()
	if node.Labels()["name"] != "a" || cpu != 1500 || pods != 110 {
		t.Errorf("labels %v, cpu %d, pods %d", node.Labels(), cpu, pods)
	}
	var own struct{ Metadata struct{ Name string } }
	if err := node.Decode(&own); err != nil || own.Metadata.Name != "a" {
		t.Errorf("decoded %v: %v", own, err)
	}
}

func TestQuantities(t *testing.T) {
	for text, want := range map[string]int64{
		"4": 4000, "500m": 500, "1.5": 1500, "0.1m": 1, "2k": 2_000_000, "1Ki": 1_024_000, "1e3": 1_000_000,
		"12E": -1, "1E2": 100_000, "-1": -1000, "100n": 1,
	} {
		got, err := Quantity(text).MilliValue()
		if want == -1 && err == nil || want != -1 && (err != nil || got != want) {
			t.Errorf("%s is %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "x", "1/2", "1Xi", "m", "0x1p-2"} {
		if got, err := Quantity(text).Value(); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}
