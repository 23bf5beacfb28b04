# SPDX-License-Identifier: Apache-2.0
"""Pods through a network and an API server that fail: none is lost, none is bound twice, no node is overcommitted."""
from collections import Counter

from harness.objects import pod
from harness.scenario import Scenario, scaled, short
from harness.scheduler import configuration
from harness.waiting import wait_until

PODS_PER_NODE = 5


class Faults(Scenario):
    def setUp(self):
        super().setUp()
        self.proxy = self.start_proxy()
        self.running = self.scheduler(kubeconfig=self.proxy.kubeconfig(),
                                      config=configuration(self.proxy.kubeconfig(), podMaxBackoffSeconds=2),
                                      # After victims could not be deleted kube-scheduler waits for a change or for this.
                                      flags=["--pod-max-in-unschedulable-pods-duration=20s"])

    def create_pods(self, prefix, count, **fields):
        names = [f"{prefix}-{i}" for i in range(count)]
        self.api.create_all("pods", [pod(name, **fields) for name in names])
        return names

    def check_all_is_well(self, names):
        bound = self.wait_bound(names, timeout=180)
        self.history.check()
        successes = Counter(b["pod"] for b in self.proxy.bindings() if b["code"] == 201)
        self.assertEqual({name: n for name, n in successes.items() if n > 1}, {}, "bound twice")
        crowded = {node: n for node, n in Counter(bound.values()).items() if n > PODS_PER_NODE}
        self.assertEqual(crowded, {}, "nodes with more pods than fit")
        self.check_no_nomination_is_left()

    def check_no_nomination_is_left(self):
        def left():
            return [name for name, p in self.history.latest().items() if p["status"].get("nominatedNodeName")]
        wait_until(lambda: not left(), lambda: f"nominations of {left()} to end", 30)
        self.assertTrue(self.running.running(), "the scheduler ended")

    def run_through(self, faults, nodes, pods):
        """Creates `pods` pods in as many parts as there are faults. Each part is created under faults of the proxy, and
        something happens while it is on its way; the part lasts until the fault has, by the proxy's counter of it."""
        self.make_nodes(nodes, cpu="500m", memory="8Gi")
        self.running.start()
        names, each = [], pods // len(faults)
        for number, (what, settings, happening, counter) in enumerate(faults):
            def bound():
                return len(self.history.bound().keys() & set(part))
            def occurred():
                return self.proxy.counters()[counter] if counter else 0
            self.note(f"part {number}: {what}")
            before = occurred()
            self.proxy.set(**settings)
            part = self.create_pods(f"pod-{number}", each)
            names += part
            wait_until(lambda: bound() >= each // 10, f"a tenth of the part: {what}", 60)
            happening()
            if counter:
                wait_until(lambda: occurred() > before, f"the proxy to do it: {what}", 60)
            # Pauses between attempts to read anew grow up to a minute.
            wait_until(lambda: bound() >= each * 3 // 4, f"most of the part: {what}", 180)
            self.proxy.clear()
        self.check_all_is_well(names)

    def refuse_during_restart(self):
        self.proxy.set(refuse=True)
        self.plane.restart_apiserver()
        self.proxy.set(refuse=False)

    @short
    def test_no_pod_is_lost_or_bound_twice(self):
        nodes, pods = scaled((50, 200), (500, 2000))
        cut = self.proxy.cut_watches
        faults = [
            ("watches end", {}, cut, None),
            ("GOAWAY every 10 requests", {"goawayEvery": 10}, cut, "goaways"),
            ("410 as a status", {"goneFraction": 0.7}, cut, "gone"),
            ("410 in the stream", {"goneFraction": 0.7, "goneInStream": True}, cut, "gone"),
            ("429 to a third of the requests", {"busyFraction": 0.3, "retryAfter": 1}, cut, "busy"),
            ("connections end", {}, self.proxy.cut_connections, None),
            ("watches lag", {"watchDelayMs": 300}, cut, None),
            ("the API server is killed and comes back", {}, lambda: self.plane.restart_apiserver(kill=True), None),
            ("the API server restarts, connections are refused", {}, self.refuse_during_restart, None),
        ]
        # kube-scheduler waits up to half a minute after each of the others.
        quick = [0, 1, 5, 6, 7]
        self.run_through(scaled([faults[i] for i in quick], faults), nodes, pods)

    @short
    def test_bindings_whose_answer_is_lost(self):
        nodes, pods = scaled((20, 60), (100, 400))
        self.make_nodes(nodes, cpu="500m", memory="8Gi")
        self.running.start()
        self.proxy.set(loseFraction=0.3, loseResource="pods/binding")
        names = self.create_pods("pod", pods)
        self.wait_bound(names, timeout=120)
        self.proxy.clear()
        self.history.check()
        lost = [b for b in self.proxy.bindings() if b["lost"]]
        self.assertGreater(len(lost), pods // 20, "hardly an answer was lost")
        self.check_no_nomination_is_left()

    def test_preemption_under_faults(self):
        nodes = scaled(10, 40)
        self.make_nodes(nodes, cpu="500m", memory="8Gi")
        self.running.start()
        low = self.create_pods("low", nodes * PODS_PER_NODE, priority=1)
        self.wait_bound(low, timeout=120)
        # Each lost answer ends the connection, and with it every watch.
        self.proxy.set(busyFraction=0.1, retryAfter=1, goawayEvery=30, loseAnswers=8)
        high = self.create_pods("high", nodes // 2, cpu="500m", priority=1000)
        self.proxy.cut_connections()
        self.wait_bound(high, timeout=180)
        self.proxy.clear()
        self.history.check()
        self.check_no_nomination_is_left()
        victims = set(low) - self.history.latest().keys()
        self.assertGreaterEqual(len(victims), len(high) * PODS_PER_NODE)
