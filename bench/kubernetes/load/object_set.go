// SPDX-License-Identifier: Apache-2.0

package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// Enough requests on their way to keep the API server busy.
const workers = 16

// Objects that are created together, and what became of each: times since `began`, 0 for never. `bound` and `left` belong
// to the bindings that watch over the set.
type objectSet struct {
	objects                 []object
	began                   time.Time
	called, returned, bound []time.Duration
	left                    int
	anyBound, allBound      chan struct{}
}

func newObjectSet(objects []object) *objectSet {
	n := len(objects)
	return &objectSet{objects: objects, began: time.Now(), called: make([]time.Duration, n),
		returned: make([]time.Duration, n), bound: make([]time.Duration, n), left: n, anyBound: make(chan struct{}),
		allBound: make(chan struct{})}
}

// create creates all objects, each at its moment when a rate (per second) is given. Returns the first error, after which no
// further object is created.
func (s *objectSet) create(api *server, rate float64) error {
	start := time.Since(s.began)
	var next, failed atomic.Int64
	var first error
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for failed.Load() == 0 {
				i := int(next.Add(1)) - 1
				if i >= len(s.objects) {
					return
				}
				if rate > 0 {
					time.Sleep(start + time.Duration(float64(i)/rate*float64(time.Second)) - time.Since(s.began))
				}
				if err := s.createOne(api, i); err != nil && failed.Add(1) == 1 {
					first = err
				}
			}
		})
	}
	group.Wait()
	return first
}

func (s *objectSet) createOne(api *server, i int) error {
	one := &s.objects[i]
	s.called[i] = time.Since(s.began)
	err := api.do("POST", one.collection, protobuf, one.body)
	s.returned[i] = time.Since(s.began)
	return err
}
