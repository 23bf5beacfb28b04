# SPDX-License-Identifier: Apache-2.0
"""pre_bind and bind, which may wait for the scheduler and for themselves."""
import logging
import threading
import time

from .contract import pb
from .status import to_wire

_log = logging.getLogger("berth_plugin")


class Canceled(Exception):
    """The attempt is over."""


class Refused(RuntimeError):
    """The scheduler could not do what it was asked for."""


class Binding:
    """What pre_bind and bind work on."""

    def __init__(self, cycle, pod, node, run):
        self.cycle = cycle
        self.pod = pod
        self.node = node
        self._run = run

    @property
    def canceled(self):
        """Whether the attempt is over."""
        return self._run.canceled

    def patch(self, ref, merge_patch, uid="", resource_version=""):
        """Has the scheduler change an object by a merge patch (text); returns the object's new resource version."""
        return self._run.work(pb.Work(patch=pb.Patch(
            object=_wire(ref), uid=uid, resource_version=resource_version, merge_patch=merge_patch)))

    def bind(self):
        """Has the scheduler write that the pod has its node. Only in bind."""
        self._run.work(pb.Work(bind=True))

    def await_change(self, *refs, timeout=None):
        """Waits until one of the objects, of kinds that the plugin has asked for, was changed; False: the time is over."""
        return self._run.await_change(refs, timeout)


def _wire(ref):
    return pb.ObjectRef(kind=ref.kind, namespace=ref.namespace, name=ref.name)


class _Wait:
    def __init__(self, refs, until):
        self.refs = refs
        self.until = until  # None: no limit
        self.changed = None  # not woken yet


class Run:
    """pre_bind or bind of one pod: a thread of the plugin, and what it asks of the scheduler. The scheduler calls again
    and again; each call is answered as soon as the thread has something to say, or after a while with the promise to
    wake the scheduler."""

    def __init__(self, session, is_bind):
        self._session = session
        self._is_bind = is_bind
        self._changed = threading.Condition()
        self.canceled = False
        self._running = True  # the plugin is at work, and does not wait for the scheduler
        self._done = False
        self._status = None
        self._error = None
        self._asked = []  # since the last answer
        self._works = []  # results; None: not known yet
        self._waits = []
        self._waiting_call = 0  # was answered with the promise

    def start(self, step, binding):
        threading.Thread(target=self._work_through, args=(step, binding), daemon=True).start()

    def _work_through(self, step, binding):
        status, error = None, None
        try:
            status = to_wire(step(binding))
        except Canceled:
            pass
        except Exception as failed:  # a mistake in one step is not to end what others wait for
            _log.exception("%s", "bind" if self._is_bind else "pre_bind")
            error = f"{type(failed).__name__}: {failed}"
        with self._changed:
            self._running, self._done, self._status, self._error = False, True, status, error
            self._tell()

    def _tell(self):
        """There is something that the scheduler should know."""
        self._changed.notify_all()
        if self._waiting_call:
            call, self._waiting_call = self._waiting_call, 0
            self._session.send(pb.PluginMessage(wake=pb.BindingWake(call=call)))

    def cancel(self):
        with self._changed:
            self.canceled = True
            self._changed.notify_all()

    def work(self, work):
        with self._changed:
            number = len(self._works)
            self._works.append(None)
            self._asked.append(work)
            self._running = False
            self._tell()
            while self._works[number] is None and not self.canceled:
                self._changed.wait()
            self._running = True
            if self._works[number] is None:
                raise Canceled
            result, error = self._works[number]
        if error:
            raise Refused(error)
        return result

    def await_change(self, refs, timeout):
        wait = _Wait(refs, None if timeout is None else time.monotonic() + timeout)
        with self._changed:
            self._waits.append(wait)
            self._running = False
            self._tell()
            while wait.changed is None and not self.canceled:
                self._changed.wait()
            self._waits.remove(wait)
            self._running = True
            if wait.changed is None:
                raise Canceled
            return wait.changed

    def wake(self, call):
        """Gives the plugin what the call brings."""
        with self._changed:
            self._waiting_call = 0
            if call.reason == pb.BindingCall.ANSWERED and call.work < len(self._works):
                self._works[call.work] = (call.result, call.error)
                self._running = True
            elif call.reason in (pb.BindingCall.CHANGED, pb.BindingCall.DEADLINE):
                is_change = call.reason == pb.BindingCall.CHANGED
                first = min((wait.until for wait in self._waits if wait.until is not None), default=None)
                for wait in self._waits:
                    if is_change or (wait.until is not None and wait.until == first):
                        wait.changed = is_change
                        self._running = True
            self._changed.notify_all()

    def answer(self, call):
        """Waits until the plugin has something to say, and says it. On a thread of its own."""
        with self._changed:
            self._changed.wait_for(lambda: not self._running or self.canceled, timeout=call.timeout_micros / 2e6)
            answer = pb.Answer(id=call.id)
            result = answer.bind if self._is_bind else answer.pre_bind
            result.SetInParent()
            result.works.extend(self._asked)
            self._asked = []
            if self._done:
                result.status.CopyFrom(self._status or pb.Status())
            else:
                result.status.code = pb.WAIT
                result.will_wake = self._running
                self._waiting_call = call.id if self._running else 0
                self._describe_waits(result)
            self._session.send_answer(answer, self._error)

    def _describe_waits(self, result):
        for wait in self._waits:
            result.wake_on.extend(_wire(ref) for ref in wait.refs)
        first = min((wait.until for wait in self._waits if wait.until is not None), default=None)
        if first is not None:
            result.wake_after_millis = max(int((first - time.monotonic()) * 1000), 1)
