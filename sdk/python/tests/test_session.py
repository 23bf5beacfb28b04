# SPDX-License-Identifier: Apache-2.0
import logging
import threading
import unittest

import berth_plugin as berth
from berth_plugin.contract import pb
from harness import A_MINUTE, SessionTest, node

logging.disable(logging.CRITICAL)  # tests provoke what is logged


class AllPass(berth.Plugin):
    def filter(self, cycle, pod, node):
        return None


class Hello(SessionTest):
    def test_the_version_of_the_contract_is_checked(self):
        self.open(AllPass)
        self.assertEqual(self.greet(major=2, minor=3).refusal,
                         "the scheduler speaks version 2.3 of the contract, this plugin 1.0")
        self.assertEqual(self.ask(filter=pb.FilterCall(pod=2)).error, "the scheduler has not said hello")
        self.assertEqual(self.greet(minor=99).refusal, "")

    def test_problems_of_the_start_are_told(self):
        def fails(session):
            raise ValueError("no such zone")

        for plugin, points, refusal in [
            (fails, [], "no such zone"),
            (lambda session: 42, [], "int has the method of no extension point"),
            (berth.Plugin, [], "Plugin has the method of no extension point"),
            (AllPass, [pb.SCORE], "the plugin has no SCORE, at which the scheduler's configuration enables it"),
            (AllPass, [77], "the plugin has no 77, at which the scheduler's configuration enables it"),
        ]:
            self.open(plugin)
            self.assertEqual(self.greet(points=points).refusal, refusal)

    def test_what_the_scheduler_says_is_known(self):
        self.open(AllPass)
        self.greet(scheduler="berth 0.1.0", plugin="Mine", profile="gpu", args=b'{"zone": "a"}',
                   feature_gates={"X": True})
        session = self.session
        self.assertEqual((session.scheduler, session.plugin_name, session.profile), ("berth 0.1.0", "Mine", "gpu"))
        self.assertEqual((session.args, session.feature_gates), ({"zone": "a"}, {"X": True}))

    def test_welcome_says_what_the_plugin_has(self):
        self.open(Talkative)
        welcome = self.greet()
        self.assertEqual(welcome.points, [pb.FILTER, pb.SCORE])
        self.assertTrue(welcome.normalizes)
        self.assertEqual(welcome.kinds, ["Service"])
        self.assertEqual(welcome.dependence, pb.CLASS_AND_NODE)
        self.assertFalse(welcome.default_events)
        self.assertEqual([(event.resource, event.actions, event.ask, event.by_template) for event in welcome.events],
                         [("Node", 9, False, False), ("Pod", 2, True, True)])
        self.open(AllPass)
        self.assertTrue(self.greet().default_events)


class Talkative(AllPass):
    kinds = ["Service"]
    dependence = berth.CLASS_AND_NODE

    def score_all(self, cycle, pod, nodes):
        return [node.id * 1000 for node in nodes]

    def normalize_score(self, cycle, pod, nodes, scores):
        return [score * 100 // max(max(scores), 1) for score in scores]

    def events_to_register(self):
        return [
            berth.Registration("Node", berth.Actions.ADD | berth.Actions.UPDATE_NODE_LABEL),
            berth.Registration("Pod", berth.Actions.DELETE, by_class=True,
                               hint=lambda pod, before, after: after is None and before.labels["app"] == pod.name),
        ]


class Queue(SessionTest):
    class Queueing(berth.Plugin):
        def pre_enqueue(self, pod, preempting):
            return berth.pending(f"victims of {pod.name}") if preempting else None

        def sort_key(self, pod):
            return [pod.name, -pod.priority, self.QUEUED, self.ATTEMPTS]

        def reserve(self, cycle, pod, node):
            return berth.unschedulable(f"{pod.name} at {node.name}")

    def test_steps_of_the_queue_and_reserve(self):
        self.open_greeted(self.Queueing)
        gates = self.ask(pre_enqueue=pb.PreEnqueueCall(pods=[1, 2], preempting=[2])).pre_enqueue
        self.assertEqual([status.code for status in gates.statuses], [pb.SUCCESS, pb.PENDING])
        self.assertEqual(gates.statuses[1].reasons, ["victims of two"])
        parts = self.ask(sort_key=pb.SortKeyCall(pods=[2])).sort_key.keys[0].parts
        self.assertEqual((parts[0].text, parts[1].number, parts[2].queued, parts[3].attempts),
                         (b"two", -2, True, True))
        reserved = self.ask(reserve=pb.NodeCall(pod=2, node=9)).reserve
        self.assertEqual(reserved.reasons, ["two at c"])

    def test_hints_are_asked_of_their_registration(self):
        self.open_greeted(Talkative)
        before = pb.Object(kind="Pod", document=b'{"metadata": {"labels": {"app": "two"}}}')
        answer = self.ask(hint=pb.HintCall(registration=1, pods=[1, 2], before=before))
        self.assertEqual(answer.hint.queue, [False, True])
        for unknown in (0, 2):
            self.assertEqual(self.ask(hint=pb.HintCall(registration=unknown)).error,
                             f"there is no registration {unknown} that asks")


class Stateful(berth.Plugin):
    """Counts in pre_filter, and rejects nodes with more pods than that. It is told of changes."""

    pre_filters = 0

    def pre_filter(self, cycle, pod):
        Stateful.pre_filters += 1
        cycle.state["limit"] = [0]
        return berth.Only(["a", "c", "gone"])

    def filter(self, cycle, pod, node):
        limit = cycle.state["limit"][0]
        return berth.unschedulable(f"more than {limit} pods") if len(node.pods) > limit else None

    def add_pod(self, cycle, pod, added, node):
        cycle.state["limit"][0] += 1

    def remove_pod(self, cycle, pod, removed, node):
        return None if removed.id == 1 else berth.error(f"pod {removed.name}?")


class Filter(SessionTest):
    def call_filter(self, cycle=0, bits=b"\x03\x02", pre_filter=True, **more):
        return self.ask(cycle=cycle, filter=pb.FilterCall(pod=2, pre_filter=pre_filter, filter=True,
                                                          nodes=pb.NodeSet(bits=bits), **more))

    def test_all_nodes_are_answered_at_once(self):
        self.open_greeted(Stateful)
        answer = self.call_filter().filter
        self.assertTrue(answer.narrows)
        self.assertEqual((answer.only.bits, answer.only_absent), (b"\x01\x02", ["gone"]))
        self.assertEqual(answer.verdicts, [1, 0, 0])
        self.assertEqual([status.reasons[0] for status in answer.reasons], ["more than 0 pods"])
        self.assertEqual(self.call_filter(bits=b"\x02").filter.verdicts, [])

    def test_pre_filter_runs_once_in_a_cycle(self):
        self.open_greeted(Stateful)
        Stateful.pre_filters = 0
        self.call_filter(cycle=7)
        self.call_filter(cycle=7, pre_filter=False)
        self.assertEqual(Stateful.pre_filters, 1)
        self.note(cycle_ended=7)
        self.assertEqual(self.call_filter(cycle=7, pre_filter=False).error, "")
        self.assertEqual(Stateful.pre_filters, 2)

    def test_nodes_are_judged_as_they_would_be(self):
        self.open_greeted(Stateful)
        change = pb.PodChange
        answer = self.ask(cycle=7, judge=pb.JudgeCall(pod=2, hypotheses=[
            pb.Hypothesis(node=0),
            pb.Hypothesis(node=0, changes=[change(pod=1)]),
            pb.Hypothesis(node=1, changes=[change(pod=1, added=True)]),
            pb.Hypothesis(node=0, changes=[change(pod=2)]),
            pb.Hypothesis(node=5),
            pb.Hypothesis(node=0),
        ]))
        self.assertEqual([list(status.reasons) for status in answer.judge.statuses], [
            ["more than 0 pods"], [], [], ["pod two?"], ["the call names node 5, which was not told"],
            ["more than 0 pods"]])

    def test_calls_that_make_no_sense_are_errors(self):
        self.open_greeted(AllPass)
        for error, call in [
            ("the call names pod 99, which was not told", {"filter": pb.FilterCall(pod=99)}),
            ("the call names node 2, which was not told",
             {"filter": pb.FilterCall(pod=2, filter=True, nodes=pb.NodeSet(bits=b"\x04"))}),
            ("the plugin has no such step", {"score": pb.ScoreCall(pod=2, score=True)}),
            ("the plugin has no such step", {"bind": pb.BindingCall(pod=2)}),
            ("the plugin has no such step", {"post_filter": pb.PostFilterCall(pod=2)}),
            ("the plugin has no such step", {}),
        ]:
            self.assertEqual(self.ask(**call).error, error)
        self.tell(pb.Change(node_gone=5))
        self.assertEqual(self.ask(filter=pb.FilterCall(pod=2)).error,
                         "what was told of the cluster makes no sense: node 5 goes, but was not there")

    def test_an_exception_is_an_answer(self):
        class Failing(AllPass):
            def pre_filter(self, cycle, pod):
                return {}["oops"]

        self.open_greeted(Failing)
        for _ in range(2):
            self.assertEqual(self.ask(filter=pb.FilterCall(pod=2, pre_filter=True)).error, "KeyError: 'oops'")

    def test_messages_of_later_versions_are_ignored(self):
        self.open_greeted(AllPass)
        self.session.take(pb.SchedulerMessage())
        self.tell(pb.Change())
        self.note()
        self.assertEqual(self.call_filter().error, "")

    def test_scores_are_raw_and_normalized(self):
        self.open_greeted(Talkative)
        nodes = pb.NodeSet(bits=b"\x03\x02")
        answer = self.ask(score=pb.ScoreCall(pod=2, nodes=nodes, pre_score=True, score=True)).score
        self.assertEqual((answer.scores, answer.normalized), ([0, 1000, 9000], [0, 11, 100]))


class PostFilter(SessionTest):
    class Preempting(berth.Plugin):
        def post_filter(self, cycle, pod, failure):
            for node, status in failure.nodes:
                if status is not None and status.code == berth.Code.UNSCHEDULABLE:
                    if failure.judge_without(node, node.pods) is None:
                        return berth.Nomination(node.name, node.pods)
            return berth.unschedulable("no victims help")

    def begin(self):
        self.open_greeted(self.Preempting)
        number = self.call(post_filter=pb.PostFilterCall(pod=2, verdicts=[1, 2, 2], reasons=[
            pb.Status(code=pb.UNSCHEDULABLE, plugin="NodeResourcesFit"),
            pb.Status(code=pb.UNSCHEDULABLE_AND_UNRESOLVABLE, plugin="NodeAffinity")]))
        judge = self.receive().judge
        self.assertEqual((judge.call, judge.hypotheses[0].changes[0].pod), (number, 1))
        return judge

    def test_the_scheduler_is_asked_to_judge(self):
        judge = self.begin()
        self.tell(node(2, "meanwhile"))  # does not have to wait
        self.session.take(pb.SchedulerMessage(judged=pb.Judged(id=judge.id, statuses=[pb.Status()])))
        answer = self.receive().answer.post_filter
        self.assertEqual((answer.overrides, answer.nominated_node, list(answer.victims)), (True, "a", [1]))

    def test_it_ends_when_it_is_not_waited_for(self):
        judge = self.begin()
        self.session.take(pb.SchedulerMessage(cancel=pb.Cancel(call=judge.call)))
        self.assertEqual(self.receive().answer.error,
                         "TimeoutError: the scheduler waits for post_filter no longer")


class Permit(SessionTest):
    def permit(self, cycle):
        return self.ask(cycle=cycle, permit=pb.NodeCall(pod=2, node=1)).permit

    def test_a_verdict_never_overtakes_the_answer(self):
        class Rejecting(berth.Plugin):
            def permit(self, cycle, pod, node):
                cycle.reject("at once")
                cycle.allow()  # too late
                return berth.Permit(berth.wait(), 0.0015)

        self.open_greeted(Rejecting)
        answer = self.permit(7)
        self.assertEqual((answer.status.code, answer.timeout_millis), (pb.WAIT, 2))
        verdict = self.receive().permit
        self.assertEqual((verdict.pod, verdict.cycle, verdict.allow, verdict.reason), (2, 7, False, "at once"))

    def test_verdicts_are_given_once_and_in_time(self):
        cycles = []

        class Waiting(berth.Plugin):
            def permit(self, cycle, pod, node):
                cycles.append(cycle)
                return berth.wait()

        self.open_greeted(Waiting)
        self.permit(7)
        cycles[0].allow()
        cycles[0].reject("again")
        self.assertTrue(self.receive().permit.allow)
        self.permit(8)
        self.note(cycle_ended=8)
        self.assertTrue(cycles[1].ended.is_set())
        cycles[1].allow()
        self.permit(9)  # nothing was sent before the answer to this


class Bind(SessionTest):
    CLAIM = berth.ObjectRef("PersistentVolumeClaim", "default", "data")

    def pre_bind(self, timeout_micros=3_600_000_000, **call):
        return self.ask(cycle=7, timeout_micros=timeout_micros, pre_bind=pb.BindingCall(pod=2, node=1, **call))

    def open_binding(self, step):
        class PreBinding(berth.Plugin):
            def pre_bind(self, binding):
                return step(binding)

        self.open_greeted(PreBinding)

    def test_it_waits_for_work_and_changes(self):
        seen = []

        def step(binding):
            seen.append(binding.patch(self.CLAIM, '{"a": 1}', uid="uid", resource_version="1"))
            try:
                binding.patch(self.CLAIM, '{"a": 2}')
            except Exception as failed:
                seen.append(str(failed))
            seen.append(binding.await_change(self.CLAIM, timeout=3600))
            seen.append(binding.await_change(self.CLAIM, timeout=0.001))

        self.open_binding(step)
        reason = pb.BindingCall
        start = self.pre_bind().pre_bind
        self.assertEqual((start.status.code, start.works[0].patch.merge_patch), (pb.WAIT, '{"a": 1}'))
        self.assertFalse(start.will_wake)
        second = self.pre_bind(reason=reason.ANSWERED, result="2").pre_bind
        self.assertEqual(len(second.works), 1)
        waiting = self.pre_bind(reason=reason.ANSWERED, work=1, error="conflict").pre_bind
        self.assertEqual((len(waiting.works), waiting.wake_on[0].name), (0, "data"))
        self.assertGreater(waiting.wake_after_millis, 1000)
        again = self.pre_bind(reason=reason.CHANGED).pre_bind
        self.assertEqual((again.status.code, again.wake_after_millis), (pb.WAIT, 1))
        self.assertEqual(self.pre_bind(reason=reason.DEADLINE).pre_bind.status.code, pb.SUCCESS)
        self.assertEqual(seen, ["2", "conflict", True, False])

    def test_what_takes_its_time_wakes_the_scheduler(self):
        done = threading.Event()

        def step(binding):
            done.wait(A_MINUTE)
            return berth.unschedulable("too slow")

        self.open_binding(step)
        answer = self.pre_bind(timeout_micros=2000)
        self.assertTrue(answer.pre_bind.will_wake)
        done.set()
        self.assertEqual(self.receive().wake.call, answer.id)
        last = self.pre_bind(reason=pb.BindingCall.WOKEN).pre_bind
        self.assertEqual(last.status.reasons, ["too slow"])

    def test_it_ends_with_the_attempt(self):
        ended = threading.Event()

        def step(binding):
            try:
                binding.await_change(self.CLAIM)
            finally:
                ended.set()

        for end in ({"unreserve": pb.Unreserve(cycle=7, pod=2, node=1)}, {"cycle_ended": 7}):
            ended.clear()
            self.open_binding(step)
            self.pre_bind()
            self.note(**end)
            self.assertTrue(ended.wait(A_MINUTE))

    def test_an_exception_is_an_answer(self):
        def step(binding):
            raise OSError("oops")

        self.open_binding(step)
        self.assertEqual(self.pre_bind().error, "OSError: oops")

    def test_bind_is_the_schedulers_work(self):
        bound = threading.Event()

        class Binding(berth.Plugin):
            def bind(self, binding):
                binding.bind()

            def post_bind(self, cycle, pod, node_name):
                self.told = f"{pod.name} on {node_name}"
                bound.set()

        self.open_greeted(Binding)
        start = self.ask(cycle=7, bind=pb.BindingCall(pod=2, node=1)).bind
        self.assertTrue(start.works[0].bind)
        done = self.ask(cycle=7, bind=pb.BindingCall(pod=2, node=1, reason=pb.BindingCall.ANSWERED)).bind
        self.assertEqual(done.status.code, pb.SUCCESS)
        self.note(post_bind=pb.PostBind(cycle=7, pod=2, node="b"))
        self.assertTrue(bound.wait(A_MINUTE))
        self.assertEqual(self.session.plugin.told, "two on b")


class Fakes(unittest.TestCase):
    def test_what_tests_of_plugins_need(self):
        pod = berth.Pod.of({"metadata": {"name": "one", "namespace": "default", "labels": {"a": "b"}}})
        node = berth.Node.of({"metadata": {"name": "a", "labels": {"disk": "fast"}}}, [pod])
        self.assertEqual((node.name, node.labels["disk"], node.pods[0].key), ("a", "fast", "default/one"))
        session = berth.Session.of({"zone": "a"})
        session.event(pod, "Reason", "Action", "note")
        plugin = AllPass(session)
        self.assertIsNone(plugin.filter(berth.Cycle(session, 1), pod, node))
        self.assertEqual((session.args, session.cluster.nodes), ({"zone": "a"}, []))


if __name__ == "__main__":
    unittest.main()
