// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// What is written after the last binding, events above all, belongs to the stage.
const settle = time.Second

// What a stage measured. Times in seconds; from the start of the process in a drain, from the first creation in a live stage.
type stage struct {
	Pods  int `json:"pods"`
	Bound int `json:"bound"`
	// In a drain: /readyz answered with 200, and the CPU time of the scheduler until then. 0 when it never did.
	Ready    float64 `json:"ready,omitempty"`
	ReadyCPU float64 `json:"ready_cpu,omitempty"`
	First    float64 `json:"first_binding"`
	Last     float64 `json:"last_binding"`
	// Until the last binding. Drain: from the moment the scheduler is ready, or from the first binding where that is
	// earlier. Live: from the first creation.
	PodsPerSecond float64 `json:"pods_per_second"`
	// Live: when the last creation returned, and milliseconds from a creation to its binding.
	Created      float64 `json:"created,omitempty"`
	FromReturned *spread `json:"latency_ms,omitempty"`
	FromCalled   *spread `json:"latency_from_call_ms,omitempty"`
	// From the beginning of the stage until a second after its end. A drain begins when
	// the scheduler is ready, or with the first binding where that is earlier.
	Usage usage `json:"usage"`
	// Why it is incomplete.
	Error string `json:"error,omitempty"`
}

type spread struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func newSpread(values []float64) *spread {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	at := func(share float64) float64 { return values[min(int(share*float64(len(values))), len(values)-1)] }
	return &spread{at(0.5), at(0.9), at(0.99), values[len(values)-1]}
}

// drain waits until a scheduler that was just started has bound the pods that waited for it.
func (s *session) drain(set *objectSet, c command) (any, error) {
	s.bindings.expect(set)
	started := time.Unix(0, c.Started)
	stop := make(chan struct{})
	ready := s.firstMoment(func() bool { return untilReady(c.Port, stop) })
	busy := s.firstMoment(func() bool { return closedBefore(set.anyBound, stop) })
	s.bindings.wait(set, seconds(c.Timeout), s.schedulerRuns)
	time.Sleep(settle)
	close(stop)
	atReady, begin := <-ready, <-busy
	if !atReady.at.IsZero() && atReady.at.Before(begin.at) {
		begin = atReady
	}
	result := set.result(started)
	if !atReady.at.IsZero() {
		result.Ready, result.ReadyCPU = atReady.at.Sub(started).Seconds(), atReady.Processes["scheduler"]
	}
	result.Usage = begin.until(takeUsage(s.processes))
	if took := result.Last - begin.at.Sub(started).Seconds(); took > 0 {
		result.PodsPerSecond = float64(result.Bound) / took
	}
	return s.complete(result), nil
}

// firstMoment is what was used until something happened; without a time when it did not.
func (s *session) firstMoment(happened func() bool) <-chan usage {
	moment := make(chan usage, 1)
	go func() {
		var taken usage
		if happened() {
			taken = takeUsage(s.processes)
		}
		moment <- taken
	}()
	return moment
}

func closedBefore(one, other <-chan struct{}) bool {
	select {
	case <-one:
		return true
	case <-other:
		return false
	}
}

// untilReady asks /readyz until it answers with 200.
func untilReady(port int, stop <-chan struct{}) bool {
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	for {
		answer, err := client.Get(fmt.Sprintf("https://127.0.0.1:%d/readyz", port))
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return true
			}
		}
		select {
		case <-stop:
			return false
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// live creates pods while the scheduler runs, and waits until they are bound.
func (s *session) live(set *objectSet, c command) (any, error) {
	s.bindings.expect(set)
	before := takeUsage(s.processes)
	began := time.Now()
	if err := set.create(s.api, c.Rate); err != nil {
		return nil, err
	}
	created := time.Since(began)
	s.bindings.wait(set, seconds(c.Timeout), s.schedulerRuns)
	time.Sleep(settle)
	result := set.result(began)
	result.Created, result.Usage = created.Seconds(), before.until(takeUsage(s.processes))
	if result.Last > 0 {
		result.PodsPerSecond = float64(result.Bound) / result.Last
	}
	var returned, called []float64
	for i, bound := range set.bound {
		if bound > 0 {
			// The event may overtake the answer.
			returned = append(returned, max(0, (bound-set.returned[i]).Seconds()*1000))
			called = append(called, (bound-set.called[i]).Seconds()*1000)
		}
	}
	result.FromReturned, result.FromCalled = newSpread(returned), newSpread(called)
	return s.complete(result), nil
}

// result counts the bindings of a set, with times from `start`.
func (s *objectSet) result(start time.Time) *stage {
	result := &stage{Pods: len(s.objects)}
	offset := start.Sub(s.began)
	var first, last time.Duration
	for _, bound := range s.bound {
		if bound == 0 {
			continue
		}
		result.Bound++
		if first == 0 || bound < first {
			first = bound
		}
		last = max(last, bound)
	}
	if result.Bound > 0 {
		result.First, result.Last = (first - offset).Seconds(), (last - offset).Seconds()
	}
	return result
}

func (s *session) schedulerRuns() bool { return runs(s.processes["scheduler"]) }

func (s *session) complete(result *stage) *stage {
	if !s.schedulerRuns() {
		result.Error = "the scheduler ended"
	} else if result.Bound < result.Pods {
		result.Error = fmt.Sprintf("%d of %d pods were bound", result.Bound, result.Pods)
	}
	return result
}
