# SPDX-License-Identifier: Apache-2.0
"""HTTP extenders, in processes of their own: asked as kube-scheduler asks them, and free to fail."""
import threading

from harness.extender import Extender
from harness.objects import node, pod
from harness.programs import reference_scheduler
from harness.scenario import Scenario, scaled, short
from harness.scheduler import configuration
from harness.waiting import holds_for, wait_until

THING = "example.com/thing"


def with_thing(name, **fields):
    """A pod that the extender has a say in."""
    made = pod(name, **fields)
    resources = made["spec"]["containers"][0]["resources"]
    resources["requests"][THING] = "1"
    resources["limits"] = {THING: "1"}
    return made


class Extenders(Scenario):
    def setUp(self):
        super().setUp()
        self.extender = self.start_extender()

    def start_extender(self, port=0):
        extender = Extender(port)
        self.addCleanup(extender.stop)
        return extender

    def start_with(self, name="scheduler", binary=None, flags=(), **fields):
        extender = {"urlPrefix": self.extender.url, "filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 1000,
                    "httpTimeout": "1s", "nodeCacheCapable": True, **fields}
        config = configuration(self.plane.kubeconfig(), extenders=[extender], podInitialBackoffSeconds=1, podMaxBackoffSeconds=1)
        return self.start_scheduler(config=config, name=name, binary=binary, flags=flags)

    def make_nodes_with_things(self, count):
        self.make_nodes(count, resources={THING: "100"})

    def play(self, name, binary, **fields):
        """Pods one after the other, under one scheduler: where they went, and what the extender was asked about them."""
        scheduler = self.start_with(name=name, binary=binary, **fields)
        names = [f"web-{i}" for i in range(scaled(4, 12))]
        for each in names:
            self.api.create("pods", pod(each, labels={"app": "web"}, annotations={"example.com/note": "kept"}))
            self.wait_bound([each])
        placed = {each: self.history.bound()[each] for each in names}
        scheduler.stop()
        asked = [(verb, self.extender.requests(verb, each)) for each in names for verb in ("filter", "prioritize")]
        for each in names:
            self.api.delete("pods", each, grace=0)
        wait_until(lambda: not self.history.latest(), "the pods to be gone")
        return placed, asked

    def check_same(self, **fields):
        self.make_nodes(8)
        theirs = self.play("theirs", reference_scheduler(), **fields)
        self.extender.stop()
        self.extender = self.start_extender()
        ours = self.play("ours", None, **fields)
        self.assertEqual(ours[0], theirs[0])
        for (verb, mine), (_, other) in zip(ours[1], theirs[1]):
            self.assertEqual(len(mine), len(other))
            self.assertEqual([self.essence(each) for each in mine], [self.essence(each) for each in other], verb)

    def essence(self, question):
        """Without what differs between any two runs: identities, times, and the order of nodes."""
        about = question["Pod"]
        about["metadata"] = {key: value for key, value in about["metadata"].items()
                             if key not in ("uid", "resourceVersion", "creationTimestamp", "managedFields")}
        about["spec"].get("volumes", []).clear()
        for container in about["spec"]["containers"]:
            container.pop("volumeMounts", None)
        about.pop("status")
        about.pop("kind", None)
        about.pop("apiVersion", None)
        if question["Nodes"] is not None:
            question["Nodes"] = sorted((each["metadata"]["name"], each["status"]["allocatable"]) for each in question["Nodes"]["items"])
        if question["NodeNames"] is not None:
            question["NodeNames"].sort()
        return question

    @short
    def test_it_is_asked_the_same_and_obeyed_the_same(self):
        self.check_same()

    def test_it_is_sent_whole_nodes(self):
        self.check_same(nodeCacheCapable=False)

    @short
    def test_a_dead_extender_delays_only_its_own_pods(self):
        self.make_nodes_with_things(4)
        self.start_with(managedResources=[{"name": THING}])
        port = self.extender.port
        self.extender.kill()
        its, others = [f"its-{i}" for i in range(5)], [f"other-{i}" for i in range(5)]
        self.api.create_all("pods", [with_thing(name) for name in its] + [pod(name) for name in others])
        self.wait_bound(others)
        self.assertFalse(self.history.bound().keys() & set(its))
        self.extender = self.start_extender(port)
        self.wait_bound(its)
        self.history.check()

    def test_whatever_it_answers_no_pod_is_lost_or_bound_twice(self):
        self.make_nodes_with_things(6)
        self.start_with(managedResources=[{"name": THING}])
        for mode in ("slow", "500", "truncated", "cut", "unknown nodes", "error", "endless"):
            with self.subTest(mode):
                self.extender.behave(mode)
                tag = mode.replace(" ", "-")
                its, others = [f"its-{tag}-{i}" for i in range(3)], [f"other-{tag}-{i}" for i in range(3)]
                self.api.create_all("pods", [with_thing(name) for name in its] + [pod(name) for name in others])
                self.wait_bound(others)
                self.wait_unschedulable(its[0])
                self.assertFalse(self.history.bound().keys() & set(its))
                self.extender.behave("well")
                self.wait_bound(its)
        self.extender.behave("10 MB")
        self.api.create("pods", with_thing("patient"))
        self.wait_bound(["patient"])
        self.history.check()

    def test_a_failure_that_may_be_ignored_is(self):
        self.make_nodes(4)
        self.start_with(ignorable=True)
        self.extender.behave("500")
        self.api.create("pods", pod("web"))
        self.wait_bound(["web"])
        self.extender.kill()
        self.api.create("pods", pod("later"))
        self.wait_bound(["later"])

    def test_nodes_come_and_go_during_every_call(self):
        self.make_nodes_with_things(6)
        self.start_with(managedResources=[{"name": THING}])
        stop = threading.Event()

        def churn():
            round = 0
            while not stop.is_set():
                self.api.create("nodes", node(f"brief-{round}", resources={THING: "100"}))
                self.api.patch("nodes", f"node-{round % 6}", {"metadata": {"labels": {"round": str(round)}}})
                if round >= 3:
                    self.api.delete("nodes", f"brief-{round - 3}")
                round += 1
        churning = threading.Thread(target=churn)
        churning.start()
        self.addCleanup(churning.join)
        self.addCleanup(stop.set)
        names = [f"its-{i}" for i in range(scaled(20, 60, 200))]
        self.api.create_all("pods", [with_thing(name) for name in names])
        self.wait_bound(names, timeout=120)
        self.history.check()

    def test_everybody_waits_if_upstreams_order_is_wanted(self):
        self.make_nodes_with_things(4)
        self.start_with(managedResources=[{"name": THING}], flags=["--strict-extender-order"], httpTimeout="60s")
        self.extender.behave("slow")
        self.api.create("pods", with_thing("first"))
        wait_until(lambda: self.extender.requests("filter", "first"), "the extender to be asked")
        self.api.create("pods", pod("second"))
        # It thinks for three seconds, twice.
        holds_for(lambda: "second" not in self.history.bound(), "the second pod to wait", 2)
        self.wait_bound(["first", "second"])
