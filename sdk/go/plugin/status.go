// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"fmt"
	"strings"

	"berth.dev/sdk/go/pluginv1"
)

// Code is the kind of a verdict.
type Code int32

const (
	CodeSuccess                      = Code(pluginv1.Code_SUCCESS)
	CodeError                        = Code(pluginv1.Code_ERROR)
	CodeUnschedulable                = Code(pluginv1.Code_UNSCHEDULABLE)
	CodeUnschedulableAndUnresolvable = Code(pluginv1.Code_UNSCHEDULABLE_AND_UNRESOLVABLE)
	CodeWait                         = Code(pluginv1.Code_WAIT)
	CodeSkip                         = Code(pluginv1.Code_SKIP)
	CodePending                      = Code(pluginv1.Code_PENDING)
)

// Status is a plugin's verdict. Nil is success. It must not be changed once it was returned: a verdict that many nodes
// share should be one Status.
type Status struct {
	Code    Code
	Reasons []string
	// Plugin says whose verdict it is, where the scheduler tells of others'.
	Plugin string
}

// Unschedulable rejects: the pod cannot be placed now, or not there. Evicting pods may help.
func Unschedulable(reasons ...string) *Status {
	return &Status{Code: CodeUnschedulable, Reasons: reasons}
}

// Unresolvable rejects in a way that evicting pods cannot mend.
func Unresolvable(reasons ...string) *Status {
	return &Status{Code: CodeUnschedulableAndUnresolvable, Reasons: reasons}
}

// Errorf says that the step failed; the pod is tried again.
func Errorf(format string, args ...any) *Status {
	return &Status{Code: CodeError, Reasons: []string{fmt.Sprintf(format, args...)}}
}

// Skip says, from PreFilter or PreScore, that the plugin has no part in this cycle; from Bind, that another is to bind.
func Skip() *Status { return &Status{Code: CodeSkip} }

// Wait says, from Permit, that the pod is to wait for Cycle.Allow or Cycle.Reject.
func Wait(reasons ...string) *Status { return &Status{Code: CodeWait, Reasons: reasons} }

// Pending rejects a pod that waits for something that will come by itself.
func Pending(reasons ...string) *Status { return &Status{Code: CodePending, Reasons: reasons} }

// OK says whether the verdict is success.
func (s *Status) OK() bool { return s == nil || s.Code == CodeSuccess }

func (s *Status) String() string {
	if s == nil {
		return "SUCCESS"
	}
	return pluginv1.Code(s.Code).String() + ": " + strings.Join(s.Reasons, ", ")
}

func (s *Status) code() Code {
	if s == nil {
		return CodeSuccess
	}
	return s.Code
}

func (s *Status) wire() *pluginv1.Status {
	if s == nil {
		return &pluginv1.Status{}
	}
	return &pluginv1.Status{Code: pluginv1.Code(s.Code), Reasons: s.Reasons, Plugin: s.Plugin}
}

func fromWire(s *pluginv1.Status) *Status {
	if s.GetCode() == pluginv1.Code_SUCCESS {
		return nil
	}
	return &Status{Code: Code(s.Code), Reasons: s.Reasons, Plugin: s.Plugin}
}
