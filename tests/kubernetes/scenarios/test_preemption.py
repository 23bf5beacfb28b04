# SPDX-License-Identifier: Apache-2.0
"""Preemption: disruption budgets, and a cluster that refuses to delete."""
from harness.objects import condition, disruption_budget, node, pod
from harness.scenario import Scenario, short
from harness.waiting import holds_for, wait_quiet, wait_until
from harness.webhook import DeletionWebhook


class Preemption(Scenario):
    def budget(self, name, labels, allowed):
        """A disruption budget, with the status that a controller would write."""
        budget = self.api.create("poddisruptionbudgets", disruption_budget(name, labels, min_available=1))
        self.api.patch("poddisruptionbudgets", name, {"status": {
            "disruptionsAllowed": allowed, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1,
            "observedGeneration": budget["metadata"]["generation"]}}, subresource="status")

    def fill(self, node_name, name, **fields):
        """A pod that takes most of a node."""
        self.api.create("pods", pod(name, cpu="900m", nodeSelector={"kubernetes.io/hostname": node_name}, **fields))

    @short
    def test_a_budget_decides_which_node_gives_way(self):
        self.make_nodes(2, cpu="1", memory="8Gi")
        self.budget("guard", {"app": "guarded"}, allowed=0)
        self.start_scheduler()
        # By priority alone node-0 would be chosen, whose victim matters less.
        self.fill("node-0", "guarded", labels={"app": "guarded"}, priority=1)
        self.fill("node-1", "free", labels={"app": "free"}, priority=5)
        self.wait_bound(["guarded", "free"])
        self.api.create("pods", pod("urgent", cpu="900m", priority=1000))
        self.assertEqual(self.wait_bound(["urgent"])["urgent"], "node-1")
        self.assertEqual(sorted(self.history.latest()), ["guarded", "urgent"])

    @short
    def test_a_budget_gives_way_when_nothing_else_helps(self):
        self.make_nodes(1, cpu="1", memory="8Gi")
        self.budget("guard", {"app": "guarded"}, allowed=0)
        self.start_scheduler()
        self.fill("node-0", "guarded", labels={"app": "guarded"}, priority=1)
        self.wait_bound(["guarded"])
        self.api.create("pods", pod("urgent", cpu="900m", priority=1000))
        self.wait_bound(["urgent"])
        self.assertEqual(sorted(self.history.latest()), ["urgent"])

    @short
    def test_a_budget_that_allows_one_disruption_is_spent_once(self):
        """Three guarded pods, one may go: the node with one guarded victim is preferred to the one with two."""
        self.make_nodes(2, cpu="1", memory="8Gi")
        self.budget("guard", {"app": "guarded"}, allowed=1)
        self.start_scheduler()
        for name, where in (("a", "node-0"), ("b", "node-0"), ("c", "node-1")):
            self.api.create("pods", pod(name, cpu="450m", labels={"app": "guarded"}, priority=1,
                                        nodeSelector={"kubernetes.io/hostname": where}))
        self.api.create("pods", pod("d", cpu="450m", priority=1, nodeSelector={"kubernetes.io/hostname": "node-1"}))
        self.wait_bound("abcd")
        self.api.create("pods", pod("urgent", cpu="900m", priority=1000))
        self.assertEqual(self.wait_bound(["urgent"])["urgent"], "node-1")
        self.assertEqual(sorted(self.history.latest()), ["a", "b", "urgent"])

    @short
    def test_the_nominated_node_is_kept_until_the_victim_is_gone(self):
        self.make_nodes(1, cpu="1", memory="8Gi")
        self.start_scheduler()
        self.fill("node-0", "victim", priority=1, grace=600)
        self.wait_bound(["victim"])
        self.api.create("pods", pod("urgent", cpu="900m", priority=1000))
        urgent = self.wait_pod("urgent", lambda p: p["status"].get("nominatedNodeName"), "to be nominated")
        self.assertEqual(urgent["status"]["nominatedNodeName"], "node-0")
        victim = self.wait_pod("victim", lambda p: p["metadata"].get("deletionTimestamp"), "to be deleted")
        self.assertEqual(condition(victim, "DisruptionTarget")["reason"], "PreemptionByScheduler")
        # Room that is promised is not given to another, which is less important.
        self.api.create("pods", pod("later", cpu="900m", priority=10))
        self.wait_unschedulable("later")
        self.api.delete("pods", "victim", grace=0)
        self.wait_bound(["urgent"])
        self.wait_pod("urgent", lambda p: not p["status"].get("nominatedNodeName"), "to lose its nomination")
        self.assertNotIn("nodeName", self.history.latest()["later"]["spec"])

    @short
    def test_a_webhook_that_denies_deletions(self):
        self.make_nodes(1, cpu="1", memory="8Gi")
        webhook = DeletionWebhook(self.plane)
        self.addCleanup(webhook.stop)
        scheduler = self.start_scheduler()
        self.fill("node-0", "victim", priority=1)
        self.wait_bound(["victim"])
        self.api.create("pods", pod("urgent", cpu="900m", priority=1000))
        wait_until(lambda: webhook.denied, "a deletion to be denied")
        self.wait_unschedulable("urgent")
        # Others go on being placed meanwhile.
        self.api.create("nodes", node("node-1", cpu="500m"))
        self.api.create("pods", pod("small", cpu="400m"))
        self.wait_bound(["small"])
        self.assertIn("victim", self.history.latest())
        self.assertTrue(scheduler.running())
        webhook.allow()
        # A change of the cluster brings the next attempt, should none be under way.
        self.api.create("nodes", node("node-2", cpu="100m"))
        self.wait_bound(["urgent"], timeout=90)
        self.assertNotIn("victim", self.history.latest())

    @short
    def test_never_preempting_pods_wait(self):
        self.make_nodes(1, cpu="1", memory="8Gi")
        self.start_scheduler()
        self.fill("node-0", "victim", priority=1)
        self.wait_bound(["victim"])
        self.api.create("pods", pod("patient", cpu="900m", priority=1000, preemptionPolicy="Never"))
        self.wait_unschedulable("patient")
        wait_quiet(lambda: self.history.latest()["patient"]["metadata"]["resourceVersion"])
        holds_for(lambda: "victim" in self.history.latest(), "the victim is still there", 1)
        self.api.delete("pods", "victim", grace=0)
        self.wait_bound(["patient"])
