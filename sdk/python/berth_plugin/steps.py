# SPDX-License-Identifier: Apache-2.0
"""Answers to calls, step by step."""
import logging
import math

from .cluster import node_set
from .contract import pb
from .objects import Object
from .plugin import Hypothesis, Nomination, Only, Permit, has
from .status import Code, Status, error, from_wire, is_ok, to_wire

_log = logging.getLogger("berth_plugin")

NO_STEP = "the plugin has no such step"


class _CallError(Exception):
    """A call that makes no sense."""


def run(session, cycle, step, call, answer):
    """Fills the answer; returns why that is not possible, or None."""
    if step not in _STEPS:
        return NO_STEP  # of a later minor version
    try:
        _STEPS[step](session, cycle, call, answer)
    except _CallError as wrong:
        return str(wrong)
    except Exception as failed:  # a mistake in one step is not to end what others wait for
        _log.exception("%s", step)
        return f"{type(failed).__name__}: {failed}"
    return None


def _check(session, *methods):
    if not has(session.plugin, *methods):
        raise _CallError(NO_STEP)


def _pod(session, number):
    pod = session.cluster.pod(number)
    if pod is None:
        raise _CallError(f"the call names pod {number}, which was not told")
    return pod


def _node(session, number):
    node = session.cluster.node_by_id(number)
    if node is None:
        raise _CallError(f"the call names node {number}, which was not told")
    return node


def _nodes(session, node_set_told):
    try:
        return session.cluster.in_set(node_set_told.bits)
    except LookupError as unknown:
        raise _CallError(str(unknown)) from unknown


def _pre_enqueue(session, _cycle, call, answer):
    _check(session, "pre_enqueue")
    told = call.pre_enqueue
    answer.pre_enqueue.SetInParent()
    for number in told.pods:
        status = session.plugin.pre_enqueue(_pod(session, number), number in told.preempting)
        answer.pre_enqueue.statuses.append(to_wire(status))


def _sort_key(session, _cycle, call, answer):
    _check(session, "sort_key")
    answer.sort_key.SetInParent()
    for number in call.sort_key.pods:
        key = answer.sort_key.keys.add()
        for part in session.plugin.sort_key(_pod(session, number)):
            key.parts.append(_sort_part(part))


def _sort_part(part):
    if isinstance(part, pb.SortPart):
        return part
    if isinstance(part, int):
        return pb.SortPart(number=part)
    return pb.SortPart(text=part.encode() if isinstance(part, str) else part)


def _hint(session, _cycle, call, answer):
    told = call.hint
    if told.registration >= len(session.events) or session.events[told.registration].hint is None:
        raise _CallError(f"there is no registration {told.registration} that asks")
    before = Object(told.before) if told.HasField("before") else None
    after = Object(told.after) if told.HasField("after") else None
    hint = session.events[told.registration].hint
    answer.hint.queue.extend(bool(hint(_pod(session, number), before, after)) for number in told.pods)


def _pre_filter(session, cycle, pod):
    """The status, and the names of the only nodes, or None."""
    cycle.pre_filtered = True
    result = session.plugin.pre_filter(cycle, pod)
    names = None
    if isinstance(result, Only):
        result, names = None, result.names
    cycle.pre_filter = result
    return result, names


def _pre_filter_once(session, cycle, pod):
    """When this cycle has not yet, since the verdict was remembered from another."""
    if not cycle.pre_filtered:
        _pre_filter(session, cycle, pod)
    return cycle.pre_filter


def _narrow(session, names, result):
    if names is None:
        return
    result.narrows = True
    nodes = []
    for name in names:
        node = session.cluster.node(name)
        if node is None:
            result.only_absent.append(name)
        else:
            nodes.append(node)
    result.only.CopyFrom(node_set(nodes))


def _filter(session, cycle, call, answer):
    told, result = call.filter, answer.filter
    result.SetInParent()
    pod = _pod(session, told.pod)
    if told.pre_filter:
        status, names = _pre_filter(session, cycle, pod)
        result.pre_filter.CopyFrom(to_wire(status))
        _narrow(session, names, result)
        if not is_ok(status):
            return
    if not told.filter:
        return
    _check(session, "filter", "filter_all")
    status = _pre_filter_once(session, cycle, pod)
    if not is_ok(status):
        if status.code != Code.SKIP:
            result.filter.CopyFrom(to_wire(status))
        return
    nodes = _nodes(session, told.nodes)
    statuses = session.plugin.filter_all(cycle, pod, nodes)
    if len(statuses) != len(nodes):
        raise ValueError(f"{len(statuses)} verdicts on {len(nodes)} nodes")
    numbers = {}
    verdicts = []
    for status in statuses:
        if is_ok(status):
            verdicts.append(0)
            continue
        number = numbers.get(status)
        if number is None:
            result.reasons.append(to_wire(status))
            number = numbers[status] = len(result.reasons)
        verdicts.append(number)
    if numbers:
        result.verdicts.extend(verdicts)


def _judge(session, cycle, call, answer):
    _check(session, "filter", "filter_all")
    pod = _pod(session, call.judge.pod)
    before = _pre_filter_once(session, cycle, pod)
    answer.judge.SetInParent()
    for hypothesis in call.judge.hypotheses:
        status = before
        if is_ok(before):
            status = _judge_one(session, cycle, pod, hypothesis)
        elif before.code == Code.SKIP:
            status = None
        answer.judge.statuses.append(to_wire(status))


def _judge_one(session, cycle, pod, hypothesis):
    plugin = session.plugin
    node = session.cluster.node_by_id(hypothesis.node)
    if node is None:
        return error(f"the call names node {hypothesis.node}, which was not told")
    if hypothesis.changes:
        cycle = cycle.clone()
    for change in hypothesis.changes:
        other = session.cluster.pod(change.pod)
        if other is None:
            return error(f"the call names pod {change.pod}, which was not told")
        if change.added:
            node = node.with_pod(other)
            status = plugin.add_pod(cycle, pod, other, node)
        else:
            node = node.without_pod(other.id)
            status = plugin.remove_pod(cycle, pod, other, node)
        if not is_ok(status):
            return status
    return plugin.filter_all(cycle, pod, [node])[0]


class Failure:
    """What post_filter is told: why the pod can go nowhere."""

    def __init__(self, session, call):
        told = call.post_filter
        self.preempting = told.preempting  # victims of the pod's earlier attempt are still on their way out
        self._session = session
        self._call = call.id
        nodes = session.cluster.nodes
        reasons = [None, *map(from_wire, told.reasons)]
        if told.verdicts and len(told.verdicts) != len(nodes):
            raise _CallError(f"the call has {len(told.verdicts)} verdicts on {len(nodes)} nodes")
        verdicts = told.verdicts or [0] * len(nodes)
        if any(verdict >= len(reasons) for verdict in verdicts):
            raise _CallError("the call has unknown verdicts")
        # Pairs of a node and why it was rejected, in ascending order of ids.
        self.nodes = [(node, reasons[verdict]) for node, verdict in zip(nodes, verdicts)]

    def judge(self, *hypotheses):
        """Asks all Filter plugins of the profile about nodes as they would be: a list of Statuses. Meanwhile the
        cluster may change."""
        judge = pb.Judge(call=self._call)
        for hypothesis in hypotheses:
            wire = judge.hypotheses.add(node=hypothesis.node.id)
            for pod, added in hypothesis.changes:
                wire.changes.add(pod=pod.id, added=added)
        judged = self._session.ask(judge)
        return [from_wire(status) for status in judged.statuses]

    def judge_without(self, node, pods):
        """Whether the node would do without these of its pods: a Status."""
        return self.judge(Hypothesis(node, [(pod, False) for pod in pods]))[0]


def _post_filter(session, cycle, call, answer):
    _check(session, "post_filter")
    pod = _pod(session, call.post_filter.pod)
    result = session.plugin.post_filter(cycle, pod, Failure(session, call))
    if result is None or isinstance(result, Status):
        result = Nomination(status=result)
    written = answer.post_filter
    written.status.CopyFrom(to_wire(result.status))
    written.overrides = result.node is not None
    written.nominated_node = result.node or ""
    written.victims.extend(victim.id for victim in result.victims)
    written.tried_preemption = result.tried_preemption


def _score(session, cycle, call, answer):
    told, result, plugin = call.score, answer.score, session.plugin
    result.SetInParent()
    pod = _pod(session, told.pod)
    nodes = _nodes(session, told.nodes)
    if told.pre_score:
        status = plugin.pre_score(cycle, pod, nodes)
        result.pre_score.CopyFrom(to_wire(status))
        if not is_ok(status):
            return
    if not told.score:
        return
    _check(session, "score", "score_all")
    scores = plugin.score_all(cycle, pod, nodes)
    if len(scores) != len(nodes):
        raise ValueError(f"{len(scores)} scores of {len(nodes)} nodes")
    result.scores.extend(scores)
    if has(plugin, "normalize_score"):
        result.normalized.extend(plugin.normalize_score(cycle, pod, nodes, list(scores)))


def _reserve(session, cycle, call, answer):
    _check(session, "reserve", "unreserve")
    at = call.reserve
    status = session.plugin.reserve(cycle, _pod(session, at.pod), _node(session, at.node))
    answer.reserve.CopyFrom(to_wire(status))


def _permit(session, cycle, call, answer):
    _check(session, "permit")
    at = call.permit
    pod, node = _pod(session, at.pod), _node(session, at.node)
    cycle.begin_permit(at.pod)
    result = session.plugin.permit(cycle, pod, node)
    if not isinstance(result, Permit):
        result = Permit(result, 0)
    answer.permit.status.CopyFrom(to_wire(result.status))
    answer.permit.timeout_millis = math.ceil(result.timeout * 1000)


def _pre_flight(session, cycle, call, answer):
    at = call.pre_bind_pre_flight
    result = session.plugin.pre_bind_pre_flight(cycle, _pod(session, at.pod), _node(session, at.node))
    status, allow_parallel = result if isinstance(result, tuple) else (result, False)
    answer.pre_bind_pre_flight.status.CopyFrom(to_wire(status))
    answer.pre_bind_pre_flight.allow_parallel = allow_parallel


_STEPS = {
    "pre_enqueue": _pre_enqueue,
    "sort_key": _sort_key,
    "filter": _filter,
    "judge": _judge,
    "post_filter": _post_filter,
    "score": _score,
    "post_filter": _post_filter,
    "reserve": _reserve,
    "permit": _permit,
    "pre_bind_pre_flight": _pre_flight,
    "hint": _hint,
}
