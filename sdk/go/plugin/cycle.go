// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"context"
	"sync"
	"time"

	"berth.dev/sdk/go/pluginv1"
)

// Cycle is one attempt to place one pod, from PreFilter to PostBind. Any goroutine.
type Cycle struct {
	session *Session
	id      uint64
	ctx     context.Context
	cancel  context.CancelFunc

	mu     sync.Mutex
	now    time.Time
	values map[any]any
	// Whether PreFilter has run, and what it said. Only on the session's goroutine.
	preFiltered bool
	preFilter   *Status
	preBind     *bindingRun
	bind        *bindingRun
	permit      permitState
	permitPod   uint64
	verdict     *pluginv1.PermitVerdict // given before Permit had returned
}

type permitState int

const (
	permitNone permitState = iota
	permitAsked
	permitWaiting
	permitOver
)

func newCycle(session *Session, id uint64) *Cycle {
	ctx, cancel := context.WithCancel(session.ctx)
	return &Cycle{session: session, id: id, ctx: ctx, cancel: cancel}
}

// Context ends when the attempt is over, or the scheduler has gone.
func (c *Cycle) Context() context.Context { return c.ctx }

// Session that the cycle belongs to.
func (c *Cycle) Session() *Session { return c.session }

// Now is the scheduler's time, which in simulations is not the world's.
func (c *Cycle) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Set remembers a value until the attempt is over. Keys are compared as in a map: types of the plugin's own do not
// clash with others.
func (c *Cycle) Set(key, value any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = map[any]any{}
	}
	c.values[key] = value
}

// Get is what was set; nil: nothing.
func (c *Cycle) Get(key any) any {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.values[key]
}

// Allow lets the pod go on that waits after Permit. What comes too late has no effect.
func (c *Cycle) Allow() { c.decide(true, "") }

// Reject ends the attempt of the pod that waits after Permit.
func (c *Cycle) Reject(reason string) { c.decide(false, reason) }

func (c *Cycle) decide(allow bool, reason string) {
	c.mu.Lock()
	verdict := &pluginv1.PermitVerdict{Pod: c.permitPod, Cycle: c.id, Allow: allow, Reason: reason}
	isDue := c.permit == permitWaiting
	switch c.permit {
	case permitAsked:
		if c.verdict == nil {
			c.verdict = verdict
		}
	case permitWaiting:
		c.permit = permitOver
	}
	c.mu.Unlock()
	if isDue {
		c.session.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Permit{Permit: verdict}})
	}
}

// beginPermit and endPermit surround the plugin's Permit: a verdict must not overtake the answer.
func (c *Cycle) beginPermit(pod uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.permit, c.permitPod, c.verdict = permitAsked, pod, nil
}

func (c *Cycle) endPermit(waits bool) {
	c.mu.Lock()
	verdict := c.verdict
	c.permit = permitOver
	if waits && verdict == nil {
		c.permit = permitWaiting
	}
	c.mu.Unlock()
	if waits && verdict != nil {
		c.session.send(&pluginv1.PluginMessage{Message: &pluginv1.PluginMessage_Permit{Permit: verdict}})
	}
}

func (c *Cycle) setNow(nanos int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = time.Unix(0, nanos)
}

// clone is a cycle with the same values, or clones of those that can be cloned.
func (c *Cycle) clone() *Cycle {
	c.mu.Lock()
	defer c.mu.Unlock()
	copied := &Cycle{session: c.session, id: c.id, ctx: c.ctx, cancel: c.cancel, now: c.now, values: map[any]any{}}
	for key, value := range c.values {
		if cloner, ok := value.(interface{ Clone() any }); ok {
			value = cloner.Clone()
		}
		copied.values[key] = value
	}
	return copied
}

func (c *Cycle) end() {
	c.mu.Lock()
	c.permit = permitOver
	c.mu.Unlock()
	c.cancel()
}
