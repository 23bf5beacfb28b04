// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"encoding/json"
	"io"

	"berth.dev/sdk/go/pluginv1"
)

// NodeOf makes a node of its object as JSON, with these pods on it: for tests of plugins. What is no JSON panics.
func NodeOf(object string, pods ...*Pod) *Node {
	return &Node{Name: metaOf(object).Name, doc: &document[nodeDocument]{text: []byte(object)}, pods: pods}
}

// PodOf makes a pod of its object as JSON: for tests of plugins. What is no JSON panics.
func PodOf(object string) *Pod {
	meta := metaOf(object)
	return &Pod{
		UID: meta.UID, Namespace: meta.Namespace, Name: meta.Name, doc: &document[podDocument]{text: []byte(object)},
	}
}

// SessionOf makes a session with these arguments, as JSON, and an empty cluster: for tests of plugins. What is sent to
// its scheduler is lost.
func SessionOf(args string) *Session {
	return &Session{Args: json.RawMessage(args), cluster: newCluster(), ctx: context.Background(), stream: nobody{}}
}

// CycleOf makes a cycle of a session: for tests of plugins.
func CycleOf(session *Session) *Cycle { return newCycle(session, 1) }

func metaOf(object string) *Meta {
	var read objectDocument
	if err := json.Unmarshal([]byte(object), &read); err != nil {
		panic(err)
	}
	return &read.Metadata
}

type nobody struct{}

func (nobody) Context() context.Context                  { return context.Background() }
func (nobody) Recv() (*pluginv1.SchedulerMessage, error) { return nil, io.EOF }
func (nobody) Send(*pluginv1.PluginMessage) error        { return nil }
