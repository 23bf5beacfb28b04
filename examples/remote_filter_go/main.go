// SPDX-License-Identifier: Apache-2.0

// maintenance keeps pods away from nodes in maintenance. It takes over the Filter of NodeUnschedulable: a node that is
// cordoned is closed, and so is one whose annotation says that maintenance is under way or about to begin.
package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"berth.dev/sdk/go/plugin"
)

// The text that kube-scheduler has for it.
var cordoned = plugin.Unresolvable("node(s) were unschedulable")

type maintenance struct {
	// Annotation of nodes that has the window: two times as in RFC 3339, with a slash between.
	Annotation string `json:"annotation"`
	// Lead is how long before the window no pod is placed any more: "10m".
	Lead string `json:"lead"`
	lead time.Duration
}

func open(session *plugin.Session) (any, error) {
	m := &maintenance{Annotation: "example.com/maintenance", Lead: "10m"}
	if err := session.DecodeArgs(m); err != nil {
		return nil, err
	}
	var err error
	if m.lead, err = time.ParseDuration(m.Lead); err != nil || m.lead < 0 {
		return nil, errors.New("config: lead must be a duration, as in 10m")
	}
	return m, nil
}

// A pod may be worth another attempt when a node comes, is uncordoned, or has another window. That a window has passed
// is no event: such pods are tried again after a while, as all are.
func (m *maintenance) EventsToRegister() []plugin.Registration {
	return []plugin.Registration{
		{Resource: "Node", Actions: plugin.Add | plugin.UpdateNodeTaint | plugin.UpdateNodeAnnotation},
	}
}

func (m *maintenance) Filter(cycle *plugin.Cycle, _ *plugin.Pod, node *plugin.Node) *plugin.Status {
	if node.Unschedulable() {
		return cordoned
	}
	text, ok := node.Annotations()[m.Annotation]
	if !ok {
		return nil
	}
	begin, end, err := window(text)
	if err != nil {
		// A mistake in one node's annotation is no reason to stop everything.
		return plugin.Unresolvable(fmt.Sprintf("node(s) had no readable %s", m.Annotation))
	}
	if now := cycle.Now(); now.Before(end) && !now.Before(begin.Add(-m.lead)) {
		return plugin.Unresolvable("node(s) were in maintenance until " + end.UTC().Format(time.RFC3339))
	}
	return nil
}

func window(text string) (begin, end time.Time, err error) {
	first, second, _ := strings.Cut(text, "/")
	if begin, err = time.Parse(time.RFC3339, first); err != nil {
		return begin, end, err
	}
	end, err = time.Parse(time.RFC3339, second)
	return begin, end, err
}

func main() { plugin.Main("maintenance", open) }
