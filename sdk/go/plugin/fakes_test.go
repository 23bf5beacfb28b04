// SPDX-License-Identifier: Apache-2.0

package plugin

import "testing"

func TestWhatTestsOfPluginsNeed(t *testing.T) {
	pod := PodOf(`{"metadata": {"name": "one", "namespace": "default", "uid": "u"}}`)
	node := NodeOf(`{"metadata": {"name": "a", "labels": {"disk": "fast"}}}`, pod)
	if node.Name != "a" || node.Labels()["disk"] != "fast" || node.Pods()[0].Key() != "default/one" || pod.UID != "u" {
		t.Errorf("node %v, pod %v", node, pod)
	}
	session := SessionOf(`{"zone": "a"}`)
	var args struct{ Zone string }
	if err := session.DecodeArgs(&args); err != nil || args.Zone != "a" {
		t.Errorf("args %v: %v", args, err)
	}
	cycle := CycleOf(session)
	cycle.Set("key", 7)
	session.Event(pod, false, "Reason", "Action", "note")
	if cycle.Get("key") != 7 || cycle.Session() != session || len(session.Cluster().Nodes()) != 0 {
		t.Errorf("cycle %v", cycle)
	}
}
