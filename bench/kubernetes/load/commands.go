// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// What the program is told to do.
type command struct {
	// read, watch, processes, create, drain, live, idle, churn, provision, check, delete
	Do string `json:"do"`
	// read: where the objects of a set are, one JSON document per line.
	File string `json:"file"`
	// The set of objects that is read, created, drained; of churn, several.
	Set  string   `json:"set"`
	Sets []string `json:"sets"`
	// watch, provision, check: where the pods, the claims are.
	Namespace string `json:"namespace"`
	// processes: whose CPU time is reported with every stage. The one called "scheduler" must stay alive.
	Processes map[string]int `json:"processes"`
	// drain: when the scheduler was started, in nanoseconds since 1970, and the port of its /readyz.
	Started int64 `json:"started"`
	Port    int   `json:"port"`
	// live: objects per second; as fast as the API server takes them when 0.
	Rate float64 `json:"rate"`
	// drain, live: seconds after which pods that have no node are given up.
	Timeout float64 `json:"timeout"`
	// idle: for how long. churn: pause between two steps.
	Seconds float64 `json:"seconds"`
	// provision: the storage class. delete: paths of collections to empty.
	Class string   `json:"class"`
	Paths []string `json:"paths"`
}

// All that the commands share.
type session struct {
	api       *server
	sets      map[string]*objectSet
	bindings  *bindings
	processes map[string]int
}

func newSession(api *server) *session {
	return &session{api: api, sets: map[string]*objectSet{}, bindings: newBindings()}
}

func (s *session) run(c command) (any, error) {
	switch c.Do {
	case "read":
		set, err := readSet(c.File)
		if err != nil {
			return nil, err
		}
		s.sets[c.Set] = set
		return map[string]int{"objects": len(set.objects)}, nil
	case "watch":
		return nil, s.bindings.follow(s.api, c.Namespace)
	case "processes":
		s.processes = c.Processes
		return nil, nil
	case "delete":
		return nil, s.api.empty(c.Paths)
	case "check":
		return nil, check(s.api, c.Namespace)
	case "provision":
		return nil, provision(s.api, c.Namespace, c.Class)
	case "churn":
		return nil, s.churn(c)
	case "idle":
		before := takeUsage(s.processes)
		time.Sleep(seconds(c.Seconds))
		return before.until(takeUsage(s.processes)), nil
	}
	set := s.sets[c.Set]
	if set == nil {
		return nil, fmt.Errorf("no set %q was read", c.Set)
	}
	switch c.Do {
	case "create":
		began := time.Now()
		err := set.create(s.api, 0)
		return map[string]float64{"seconds": time.Since(began).Seconds()}, err
	case "drain":
		return s.drain(set, c)
	case "live":
		return s.live(set, c)
	}
	return nil, fmt.Errorf("no such command")
}

func (s *session) churn(c command) error {
	var sets []*objectSet
	for _, name := range c.Sets {
		if s.sets[name] == nil {
			return fmt.Errorf("no set %q was read", name)
		}
		sets = append(sets, s.sets[name])
	}
	go churn(s.api, sets, seconds(c.Seconds))
	return nil
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
