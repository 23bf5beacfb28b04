// SPDX-License-Identifier: Apache-2.0

// everypoint has something to do at every extension point, for tests. sdk/python/tests/every_point.py does the same.
package main

import (
	"context"
	"fmt"
	"time"

	"berth.dev/sdk/go/plugin"
)

type everyPoint struct {
	session *plugin.Session
	Reject  string `json:"reject"`
	full    *plugin.Status
}

func (p *everyPoint) Kinds() []string { return []string{"Service"} }

func (p *everyPoint) EventsToRegister() []plugin.Registration {
	return []plugin.Registration{{Resource: "Node", Actions: plugin.Add, Hint: func(_ *plugin.Pod, _, after *plugin.Object) bool {
		return after.Meta().Labels["good"] == "yes"
	}}}
}

func (p *everyPoint) PreEnqueue(pod *plugin.Pod, preempting bool) *plugin.Status {
	if preempting || pod.Labels()["gate"] != "" {
		return plugin.Pending("gated")
	}
	return nil
}

func (p *everyPoint) SortKey(pod *plugin.Pod) plugin.SortKey {
	return plugin.SortKey{plugin.Number(-int64(pod.Priority())), plugin.ByQueueTime()}
}

func (p *everyPoint) PreFilter(cycle *plugin.Cycle, pod *plugin.Pod) ([]string, *plugin.Status) {
	cycle.Set("pod", pod.Name)
	if only := pod.Labels()["only"]; only != "" {
		return []string{only}, nil
	}
	return nil, nil
}

func (p *everyPoint) Filter(cycle *plugin.Cycle, pod *plugin.Pod, node *plugin.Node) *plugin.Status {
	if cycle.Get("pod") != pod.Name {
		return plugin.Errorf("PreFilter has not run")
	}
	if p.session.Cluster().Object("Service", "default", "closed") != nil {
		return plugin.Unschedulable("closed")
	}
	if value, ok := node.Labels()[p.Reject]; ok {
		return plugin.Unschedulable(fmt.Sprintf("node(s) had the label %s=%s", p.Reject, value))
	}
	if len(node.Pods()) > 1 {
		return p.full
	}
	return nil
}

func (p *everyPoint) PostFilter(_ *plugin.Cycle, _ *plugin.Pod, failure *plugin.Failure) (plugin.Nomination, *plugin.Status) {
	for _, node := range failure.Nodes() {
		if len(node.Pods()) == 0 {
			continue
		}
		statuses, err := failure.Judge(plugin.Without(node, node.Pods()...))
		if err != nil {
			return plugin.Nomination{}, plugin.Errorf("%v", err)
		}
		if statuses[0].OK() {
			return plugin.Nomination{Override: true, Node: node.Name, Victims: node.Pods()}, nil
		}
	}
	return plugin.Nomination{}, plugin.Unschedulable("no victims help")
}

func (p *everyPoint) PreScore(_ *plugin.Cycle, pod *plugin.Pod, _ []*plugin.Node) *plugin.Status {
	if pod.Labels()["indifferent"] != "" {
		return plugin.Skip()
	}
	return nil
}

func (p *everyPoint) Score(_ *plugin.Cycle, _ *plugin.Pod, node *plugin.Node) (int64, *plugin.Status) {
	return int64(1000 * len(node.Pods())), nil
}

func (p *everyPoint) NormalizeScore(_ *plugin.Cycle, _ *plugin.Pod, _ []*plugin.Node, scores []int64) *plugin.Status {
	for i := range scores {
		scores[i] /= 100
	}
	return nil
}

func (p *everyPoint) Reserve(_ *plugin.Cycle, pod *plugin.Pod, node *plugin.Node) *plugin.Status {
	if pod.Labels()["unwanted"] != "" {
		return plugin.Unschedulable("unwanted on " + node.Name)
	}
	return nil
}

func (p *everyPoint) Unreserve(_ *plugin.Cycle, pod *plugin.Pod, node *plugin.Node) {
	p.session.Event(pod, true, "Unreserved", "Scheduling", "gave up "+node.Name)
}

func (p *everyPoint) Permit(cycle *plugin.Cycle, pod *plugin.Pod, _ *plugin.Node) (*plugin.Status, time.Duration) {
	go func() {
		if pod.Labels()["allow"] == "yes" {
			cycle.Allow()
		} else {
			cycle.Reject("not allowed")
		}
	}()
	return plugin.Wait(), 1500 * time.Millisecond
}

func (p *everyPoint) PreBindPreFlight(*plugin.Cycle, *plugin.Pod, *plugin.Node) (*plugin.Status, bool) {
	return nil, true
}

func (p *everyPoint) PreBind(ctx context.Context, binding *plugin.Binding) *plugin.Status {
	claim := plugin.ObjectRef{Kind: "PersistentVolumeClaim", Namespace: "default", Name: "data"}
	version, err := binding.Patch(ctx, claim, "", "1", `{"metadata": {"labels": {"node": "`+binding.Node.Name+`"}}}`)
	if err != nil {
		return plugin.Unschedulable("not patched: " + err.Error())
	}
	if version != "2" {
		return plugin.Errorf("version %s", version)
	}
	return nil
}

func (p *everyPoint) Bind(ctx context.Context, binding *plugin.Binding) *plugin.Status {
	if err := binding.Bind(ctx); err != nil {
		return plugin.Errorf("%v", err)
	}
	return nil
}

func (p *everyPoint) PostBind(_ *plugin.Cycle, pod *plugin.Pod, _ string) { p.session.Activate(pod) }

func main() {
	plugin.Main("every-point", func(session *plugin.Session) (any, error) {
		p := &everyPoint{session: session, Reject: "bad", full: plugin.Unresolvable("full")}
		return p, session.DecodeArgs(p)
	})
}
