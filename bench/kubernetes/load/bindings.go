// SPDX-License-Identifier: Apache-2.0

package main

import (
	"sync"
	"time"
)

// Notes when pods get their node, by a watch of pods that have one: each pod comes up once, when it is bound.
type bindings struct {
	mutex    sync.Mutex
	expected map[string]place // by name
}

type place struct {
	set   *objectSet
	index int
}

func newBindings() *bindings { return &bindings{expected: map[string]place{}} }

func (b *bindings) follow(api *server, namespace string) error {
	path := withQuery("/api/v1/namespaces/"+namespace+"/pods", "fieldSelector", "spec.nodeName!=")
	return watch(api, path, func(kind string, pod []byte) {
		if kind != "DELETED" {
			name, _ := podPlace(pod)
			b.saw(name)
		}
	})
}

func (b *bindings) saw(name []byte) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, ok := b.expected[string(name)]
	if !ok {
		return
	}
	delete(b.expected, string(name))
	found.set.bound[found.index] = time.Since(found.set.began)
	if found.set.left == len(found.set.objects) {
		close(found.set.anyBound)
	}
	found.set.left--
	if found.set.left == 0 {
		close(found.set.allBound)
	}
}

// expect watches over the pods of a set from now on.
func (b *bindings) expect(set *objectSet) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for i := range set.objects {
		b.expected[set.objects[i].name] = place{set, i}
	}
}

// wait returns when all pods of the set have their node, or time is up, or `alive` denies. Nothing of the set changes
// afterwards.
func (b *bindings) wait(set *objectSet, timeout time.Duration, alive func() bool) {
	deadline := time.After(timeout)
	check := time.NewTicker(200 * time.Millisecond)
	defer check.Stop()
	for running := true; running; {
		select {
		case <-set.allBound:
			return
		case <-deadline:
			running = false
		case <-check.C:
			running = alive()
		}
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for i := range set.objects {
		delete(b.expected, set.objects[i].name)
	}
}
