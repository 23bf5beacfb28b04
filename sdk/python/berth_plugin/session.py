# SPDX-License-Identifier: Apache-2.0
"""What a scheduler's profile and a plugin have with each other, as long as both run."""
import json
import logging
import threading

from . import steps
from .binding import Binding, Run
from .cluster import Cluster
from .contract import MAJOR, MINOR, pb
from .cycle import Cycle
from .plugin import has, points_of

_log = logging.getLogger("berth_plugin")


class Session:
    """One session. The plugin is called under a lock, by the session's thread or by that of post_filter."""

    def __init__(self, open_plugin, send):
        self.scheduler = ""  # its name and version
        self.plugin_name = ""  # in the scheduler's configuration
        self.profile = ""  # the scheduler name that the plugin works for
        self.args = {}  # pluginConfig's args.config
        self.feature_gates = {}
        self.cluster = Cluster()
        self.plugin = None
        self.events = []
        self._open = open_plugin
        self._send = send
        self._closed = threading.Event()
        self._calling = threading.Lock()
        self._cycles = {}
        self._broken = None
        self._asking = threading.Condition()
        self._questions = {}  # number: None, or Judged
        self._next_question = 0
        self._canceled = set()  # calls of post_filter
        self._post_filters = set()  # that are under way

    @classmethod
    def of(cls, args=None):
        """Makes a session with these arguments and an empty cluster: for tests of plugins. What is sent is lost."""
        session = cls(None, lambda message: None)
        session.args = args or {}
        return session

    def activate(self, *pods):
        """Asks the scheduler to try these pods at once. Any thread."""
        self.send(pb.PluginMessage(activate=pb.Activate(pods=[pod.id for pod in pods])))

    def event(self, pod, reason, action, note, warning=False):
        """Tells users something about the pod. Any thread."""
        kind = "Warning" if warning else "Normal"
        self.send(pb.PluginMessage(event=pb.Event(pod=pod.id, type=kind, reason=reason, action=action, note=note)))

    def send(self, message):
        if not self._closed.is_set():
            self._send(message)

    def close(self):
        self._closed.set()
        with self._asking:
            self._asking.notify_all()
        with self._calling:
            for cycle in self._cycles.values():
                cycle.end()

    def take(self, message):
        """One message of the scheduler."""
        kind = message.WhichOneof("message")
        if kind == "call":
            self._answer(message.call)
        elif kind == "objects":
            with self._calling:
                self._take_objects(message.objects)
        elif kind == "note":
            with self._calling:
                if self.plugin is not None:
                    self._take_note(message.note)
        elif kind == "hello":
            with self._calling:
                self._greet(message.hello)
        elif kind == "cancel":
            with self._asking:
                self._canceled.add(message.cancel.call)
                self._canceled &= self._post_filters
                self._asking.notify_all()
        elif kind == "judged":
            with self._asking:
                if message.judged.id in self._questions:
                    self._questions[message.judged.id] = message.judged
                    self._asking.notify_all()
        # Others are of a later minor version.

    def _greet(self, hello):
        welcome = pb.Welcome(major=MAJOR, minor=MINOR)
        try:
            self._begin(hello)
            self._introduce(welcome)
        except Exception as failed:
            _log.error("the session is refused: %s", failed, exc_info=not isinstance(failed, (TypeError, ValueError)))
            welcome = pb.Welcome(major=MAJOR, minor=MINOR, refusal=str(failed) or type(failed).__name__)
            self.plugin = None
        self.send(pb.PluginMessage(welcome=welcome))

    def _begin(self, hello):
        if hello.major != MAJOR:
            raise ValueError(f"the scheduler speaks version {hello.major}.{hello.minor} of the contract, "
                             f"this plugin {MAJOR}.{MINOR}")
        self.scheduler, self.plugin_name, self.profile = hello.scheduler, hello.plugin, hello.profile
        self.args = (json.loads(hello.args) if hello.args.strip() else None) or {}
        self.feature_gates = dict(hello.feature_gates)
        self.plugin = self._open(self)
        points = points_of(self.plugin)
        if not points:
            raise TypeError(f"{type(self.plugin).__name__} has the method of no extension point")
        for point in hello.points:
            if point not in points:
                name = pb.Point.Name(point) if point in pb.Point.values() else point
                raise TypeError(f"the plugin has no {name}, at which the scheduler's configuration enables it")

    def _introduce(self, welcome):
        plugin = self.plugin
        welcome.name = plugin.name or type(plugin).__name__
        welcome.points.extend(points_of(plugin))
        welcome.normalizes = has(plugin, "normalize_score")
        welcome.kinds.extend(plugin.kinds)
        welcome.images = bool(plugin.images)
        welcome.dependence = plugin.dependence
        events = plugin.events_to_register()
        welcome.default_events = events is None
        self.events = events or []
        for event in self.events:
            welcome.events.add(resource=event.resource, actions=int(event.actions), ask=event.hint is not None,
                               by_template=event.by_class)

    def _take_objects(self, objects):
        if self._broken is not None:
            return
        try:
            self.cluster.apply(objects)
        except (LookupError, ValueError) as failed:
            self._broken = f"what was told of the cluster makes no sense: {failed}"

    def _take_note(self, note):
        kind = note.WhichOneof("note")
        if kind == "cycle_ended":
            cycle = self._cycles.pop(note.cycle_ended, None)
            if cycle is not None:
                cycle.end()
        elif kind == "unreserve":
            cycle = self._cycles.get(note.unreserve.cycle) or Cycle(self, note.unreserve.cycle)
            cycle.end_bindings()
            pod = self.cluster.pod(note.unreserve.pod)
            if pod is not None:
                node = self.cluster.node_by_id(note.unreserve.node)
                _logged("unreserve", self.plugin.unreserve, cycle, pod, node)
        elif kind == "post_bind" and has(self.plugin, "post_bind"):
            pod = self.cluster.pod(note.post_bind.pod)
            cycle = self._cycles.get(note.post_bind.cycle) or Cycle(self, note.post_bind.cycle)
            if pod is not None:
                args = ("post_bind", self.plugin.post_bind, cycle, pod, note.post_bind.node)
                threading.Thread(target=_logged, args=args, daemon=True).start()

    def _cycle_of(self, call):
        cycle = self._cycles.get(call.cycle)
        if cycle is None:
            cycle = Cycle(self, call.cycle)
            if call.cycle:
                self._cycles[call.cycle] = cycle
        cycle.now = call.now
        return cycle

    def _answer(self, call):
        """Makes the call of one step and sends what comes of it; steps that may block do so elsewhere."""
        step = call.WhichOneof("step")
        self._calling.acquire()
        handed_over = False
        try:
            answer, error, cycle = pb.Answer(id=call.id), self._problem(), None
            if error is None:
                cycle = self._cycle_of(call)
                if step == "post_filter":
                    # Which releases the lock: it sees the cluster as it is now.
                    handed_over = True
                    self._post_filters.add(call.id)
                    threading.Thread(target=self._post_filter, args=(cycle, call), daemon=True).start()
                    return
                if step in ("pre_bind", "bind"):
                    error = self._bind(cycle, call, step)
                    if error is None:
                        return
                else:
                    error = steps.run(self, cycle, step, call, answer)
            self.send_answer(answer, error)
            if step == "permit" and cycle is not None:
                cycle.end_permit(error is None and answer.permit.status.code == pb.WAIT)
        finally:
            if not handed_over:
                self._calling.release()

    def _problem(self):
        return "the scheduler has not said hello" if self.plugin is None else self._broken

    def send_answer(self, answer, error):
        if error is not None:
            answer = pb.Answer(id=answer.id, error=error)
        self.send(pb.PluginMessage(answer=answer))

    def _post_filter(self, cycle, call):
        answer = pb.Answer(id=call.id)
        try:
            error = steps.run(self, cycle, "post_filter", call, answer)
            self.send_answer(answer, error)
        finally:
            self._post_filters.discard(call.id)
            self._calling.release()

    def ask(self, judge):
        """On post_filter's thread, which holds the plugin; meanwhile others may."""
        with self._asking:
            self._next_question += 1
            judge.id = self._next_question
            self._questions[judge.id] = None
        self.send(pb.PluginMessage(judge=judge))
        self._calling.release()
        try:
            with self._asking:
                self._asking.wait_for(lambda: self._questions[judge.id] is not None or judge.call in self._canceled
                                      or self._closed.is_set())
                judged = self._questions.pop(judge.id)
        finally:
            self._calling.acquire()
        if judged is None:
            raise TimeoutError("the scheduler waits for post_filter no longer")
        if judged.error:
            raise RuntimeError(judged.error)
        return judged

    def _bind(self, cycle, call, step):
        is_bind = step == "bind"
        told = getattr(call, step)
        if not has(self.plugin, step):
            return steps.NO_STEP
        run = cycle.runs.get(is_bind)
        if run is None or told.reason == pb.BindingCall.START:
            pod, node = self.cluster.pod(told.pod), self.cluster.node_by_id(told.node)
            if pod is None or node is None:
                return f"the call names pod {told.pod} and node {told.node}, one of which was not told"
            if run is not None:
                run.cancel()
            run = cycle.runs[is_bind] = Run(self, is_bind)
            run.start(self.plugin.bind if is_bind else self.plugin.pre_bind, Binding(cycle, pod, node, run))
        else:
            run.wake(told)
        threading.Thread(target=run.answer, args=(call,), daemon=True).start()
        return None


def _logged(step, method, *args):
    try:
        method(*args)
    except Exception:  # nobody waits for an answer
        _log.exception("%s", step)
