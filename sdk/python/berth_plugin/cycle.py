# SPDX-License-Identifier: Apache-2.0
"""One attempt to place one pod."""
import copy
import threading

from .contract import pb


class Cycle:
    """From pre_filter to post_bind. Any thread."""

    def __init__(self, session, number):
        self.session = session
        self.number = number
        self.now = 0  # the scheduler's clock in nanoseconds since 1970; in simulations it is not the world's
        self.state = {}  # what the plugin remembers until the attempt is over
        self.ended = threading.Event()  # the attempt is over, or the scheduler has gone
        self.pre_filtered = False
        self.pre_filter = None  # its status
        self.runs = {}  # pre_bind and bind, by whether it is bind
        self._lock = threading.Lock()
        self._permit = "none"
        self._pod = 0
        self._verdict = None  # given before permit had returned

    def allow(self):
        """Lets the pod go on that waits after permit. What comes too late has no effect."""
        self._decide(pb.PermitVerdict(allow=True))

    def reject(self, reason=""):
        """Ends the attempt of the pod that waits after permit."""
        self._decide(pb.PermitVerdict(allow=False, reason=reason))

    def _decide(self, verdict):
        with self._lock:
            verdict.pod, verdict.cycle = self._pod, self.number
            is_due = self._permit == "waiting"
            if self._permit == "asked":
                self._verdict = self._verdict or verdict
            elif is_due:
                self._permit = "over"
        if is_due:
            self.session.send(pb.PluginMessage(permit=verdict))

    def begin_permit(self, pod):
        """begin_permit and end_permit surround the plugin's permit: a verdict must not overtake the answer."""
        with self._lock:
            self._permit, self._pod, self._verdict = "asked", pod, None

    def end_permit(self, waits):
        with self._lock:
            verdict = self._verdict
            self._permit = "waiting" if waits and verdict is None else "over"
        if waits and verdict is not None:
            self.session.send(pb.PluginMessage(permit=verdict))

    def clone(self):
        """A cycle with copies of the values."""
        other = Cycle(self.session, self.number)
        other.now, other.ended = self.now, self.ended
        other.state = copy.deepcopy(self.state)
        return other

    def end_bindings(self):
        for run in self.runs.values():
            run.cancel()
        self.runs = {}

    def end(self):
        with self._lock:
            self._permit = "over"
        self.ended.set()
        self.end_bindings()
