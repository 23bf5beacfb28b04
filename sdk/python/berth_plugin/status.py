# SPDX-License-Identifier: Apache-2.0
"""Verdicts."""
import enum

from .contract import pb


class Code(enum.IntEnum):
    SUCCESS = pb.SUCCESS
    ERROR = pb.ERROR
    UNSCHEDULABLE = pb.UNSCHEDULABLE
    UNSCHEDULABLE_AND_UNRESOLVABLE = pb.UNSCHEDULABLE_AND_UNRESOLVABLE
    WAIT = pb.WAIT
    SKIP = pb.SKIP
    PENDING = pb.PENDING


class Status:
    """A verdict. None is success. A verdict that many nodes share should be one Status."""

    __slots__ = ("code", "plugin", "reasons")

    def __init__(self, code, *reasons, plugin=""):
        self.code = Code(code)
        self.reasons = reasons
        self.plugin = plugin  # whose verdict it is, where the scheduler tells of others'

    @property
    def ok(self):
        return self.code == Code.SUCCESS

    def __eq__(self, other):
        return isinstance(other, Status) and (self.code, self.reasons) == (other.code, other.reasons)

    def __hash__(self):
        return hash((self.code, self.reasons))

    def __repr__(self):
        return f"{self.code.name}: {', '.join(self.reasons)}" if self.reasons else self.code.name


def unschedulable(*reasons):
    """Rejects: the pod cannot be placed now, or not there. Evicting pods may help."""
    return Status(Code.UNSCHEDULABLE, *reasons)


def unresolvable(*reasons):
    """Rejects in a way that evicting pods cannot mend."""
    return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, *reasons)


def error(*reasons):
    """The step failed; the pod is tried again. Exceptions say the same."""
    return Status(Code.ERROR, *reasons)


def skip():
    """From pre_filter and pre_score: the plugin has no part in this cycle. From bind: another is to bind."""
    return Status(Code.SKIP)


def wait(*reasons):
    """From permit: the pod waits for cycle.allow or cycle.reject."""
    return Status(Code.WAIT, *reasons)


def pending(*reasons):
    """Rejects a pod that waits for something that will come by itself."""
    return Status(Code.PENDING, *reasons)


def is_ok(status):
    return status is None or status.ok


def to_wire(status):
    if status is None:
        return pb.Status()
    if not isinstance(status, Status):
        raise TypeError(f"a step has returned {status!r}, which is no Status")
    return pb.Status(code=int(status.code), reasons=status.reasons, plugin=status.plugin)


def from_wire(status):
    if status.code == pb.SUCCESS:
        return None
    return Status(status.code, *status.reasons, plugin=status.plugin)
