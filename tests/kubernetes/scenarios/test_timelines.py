# SPDX-License-Identifier: Apache-2.0
"""The same play with kube-scheduler and with the scheduler under test: events, conditions and placements are the same.
Plays leave no choice between equally good nodes."""
import time
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from harness.control_plane import ControlPlane
from harness.objects import (claim, disruption_budget, node, node_affinity, pod_affinity, spread, storage_class, taint, volume)
from harness.programs import reference_scheduler, scheduler_under_test
from harness.scenario import short
from harness.scheduler import Scheduler, configuration
from harness.timeline import Stage, play_on_both


class Timelines(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="berth-kubernetes-"))
        cls.addClassCleanup(cls.clean)
        cls.planes, cls.differed = [], False
        for name, binary in (("reference", reference_scheduler()), ("tested", scheduler_under_test())):
            plane = ControlPlane(cls.scratch / name)
            cls.addClassCleanup(plane.stop)
            config = configuration(plane.kubeconfig(), podMaxBackoffSeconds=1)
            scheduler = Scheduler(binary, plane.scratch, plane.kubeconfig(), config)
            cls.addClassCleanup(scheduler.stop)
            scheduler.start()
            cls.planes.append(plane)

    @classmethod
    def clean(cls):
        if cls.differed or os.environ.get("BERTH_KUBERNETES_KEEP"):
            print(f"# logs are kept in {cls.scratch}", flush=True)
        else:
            shutil.rmtree(cls.scratch, ignore_errors=True)

    def compare(self, play, describe=False):
        name = self._testMethodName.removeprefix("test_").replace("_", "-")
        stages = [Stage(plane, name) for plane in self.planes]

        def record(stage):
            seen = stage.record()
            if describe:
                seen["kubectl describe"] = stage.describe()
            return seen

        def same():
            return len({repr(seen) for seen in self.seen}) == 1
        type(self).differed = True  # unless everything below succeeds
        try:
            play_on_both(play, stages)
            self.seen = play_on_both(record, stages)
            # A busy machine may be late with an event. What was seen stays, so looking again hides no difference.
            patience = time.monotonic() + 15
            while not same() and time.monotonic() < patience:
                self.seen = play_on_both(record, stages)
        finally:
            for stage in stages:
                stage.clear()
        reference, tested = self.seen
        self.assertTrue(reference["events"] and reference["pods"], "nothing was seen")
        self.assertEqual(tested, reference)
        type(self).differed = False

    @short
    def test_too_few_resources_then_a_larger_node(self):
        def play(stage):
            stage.nodes(node("small", cpu="1"), node("tight", memory="1Gi"))
            stage.pod("big", cpu="2", memory="2Gi")
            stage.unschedulable("big", "0/2 nodes")
            stage.nodes(node("large", cpu="8"))
            stage.bound("big")
        self.compare(play, describe=True)

    def test_no_nodes(self):
        def play(stage):
            time.sleep(2)  # until both have heard that the nodes of the play before are gone
            stage.pod("lonely")
            stage.unschedulable("lonely")
            stage.nodes(node("first"))
            stage.bound("lonely")
        self.compare(play)

    def test_pods_do_not_fit_by_number(self):
        def play(stage):
            stage.nodes(node("few", pods="1"))
            stage.pod("first")
            stage.bound("first")
            stage.pod("second")
            stage.unschedulable("second", "Too many pods")
            stage.delete("first", grace=0)
            stage.bound("second")
        self.compare(play)

    def test_extended_resources(self):
        def play(stage):
            stage.nodes(node("plain"), node("special", resources={"example.com/slot": "2"}))
            stage.api.create("pods", {
                "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "greedy", "namespace": stage.namespace},
                "spec": {"containers": [{"name": "main", "image": "none", "resources": {
                    "requests": {"example.com/slot": "3"}, "limits": {"example.com/slot": "3"}}}]}})
            stage.unschedulable("greedy", "example.com/slot")
        self.compare(play)

    @short
    def test_taints_that_go_away(self):
        def play(stage):
            stage.nodes(node("a", taints=[taint("dedicated", "infra")]), node("b", taints=[taint("broken", "", "NoExecute")]))
            stage.pod("plain")
            stage.unschedulable("plain", "untolerated taint")
            stage.patch_node("a", {"spec": {"taints": None}})
            stage.bound("plain")
        self.compare(play)

    def test_a_toleration_is_added(self):
        """The second attempt is about the pod's second generation."""
        def play(stage):
            stage.nodes(node("a", taints=[taint("one")]), node("b", taints=[taint("two")], cpu="100m"))
            stage.pod("pod", cpu="1")
            stage.unschedulable("pod", "untolerated taint")
            stage.patch_pod("pod", {"spec": {"tolerations": [{"key": "two", "operator": "Exists"}]}})
            stage.unschedulable("pod", "Insufficient cpu")
            stage.patch_pod("pod", {"spec": {"tolerations": [{"key": "two", "operator": "Exists"}, {"key": "one", "operator": "Exists"}]}})
            stage.bound("pod")
        self.compare(play)

    def test_a_cordoned_node(self):
        def play(stage):
            stage.nodes(node("only", unschedulable=True))
            stage.pod("pod")
            stage.unschedulable("pod", "were unschedulable")
            stage.patch_node("only", {"spec": {"unschedulable": None}})
            stage.bound("pod")
        self.compare(play)

    @short
    def test_node_affinity_then_a_label(self):
        def play(stage):
            stage.nodes(node("a"), node("b", labels={"disk": "hdd"}))
            stage.pod("picky", affinity=node_affinity("disk", "ssd"))
            stage.unschedulable("picky", "didn't match Pod's node affinity/selector")
            stage.patch_node("a", {"metadata": {"labels": {"disk": "ssd"}}})
            stage.bound("picky")
        self.compare(play)

    def test_a_node_by_name_that_is_not_there(self):
        def play(stage):
            stage.nodes(node("a"))
            terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["absent"]}]}]
            stage.pod("pinned", affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": terms}}})
            stage.unschedulable("pinned")
        self.compare(play)

    def test_pod_affinity_then_a_friend(self):
        def play(stage):
            stage.nodes(node("a"), node("b"))
            stage.pod("follower", affinity=pod_affinity({"app": "leader"}))
            stage.unschedulable("follower", "pod affinity rules")
            stage.pod("leader", labels={"app": "leader"}, nodeSelector={"kubernetes.io/hostname": "b"})
            stage.bound("follower")
        self.compare(play)

    def test_pod_anti_affinity(self):
        def play(stage):
            stage.nodes(node("a"))
            stage.pod("first", labels={"app": "x"}, affinity=pod_affinity({"app": "x"}, anti=True))
            stage.bound("first")
            stage.pod("second", labels={"app": "x"}, affinity=pod_affinity({"app": "x"}, anti=True))
            stage.unschedulable("second", "anti-affinity rules")
            stage.delete("second", grace=0)
            stage.pod("third", labels={"app": "x"})
            stage.unschedulable("third", "existing pods anti-affinity rules")
            stage.delete("first", grace=0)
            stage.bound("third")
        self.compare(play)

    def test_topology_spread(self):
        def play(stage):
            stage.nodes(node("a", labels={"zone": "1"}), node("b", labels={"zone": "2"}, unschedulable=True), node("c"))
            for name in ("one", "two"):
                stage.pod(name, labels={"app": "s"}, topologySpreadConstraints=spread({"app": "s"}, "zone"))
                stage.bound("one")
            stage.unschedulable("two", "topology spread constraints")
            stage.patch_node("b", {"spec": {"unschedulable": None}})
            stage.bound("two")
        self.compare(play)

    def test_host_ports(self):
        def play(stage):
            stage.nodes(node("only"))
            stage.pod("first", ports=[8080])
            stage.bound("first")
            stage.pod("second", ports=[8080])
            stage.unschedulable("second", "free ports")
            stage.delete("first", grace=0)
            stage.bound("second")
        self.compare(play)

    @short
    def test_reasons_of_many_nodes_in_one_message(self):
        def play(stage):
            stage.nodes(node("a", cpu="100m"), node("b", cpu="100m", memory="1Gi"), node("c", taints=[taint("t1")]),
                        node("d", taints=[taint("t2")]), node("e", unschedulable=True), node("f", labels={"pool": "other"}))
            stage.pod("pod", cpu="1", memory="2Gi", affinity=node_affinity("pool", "other", operator="NotIn"))
            stage.unschedulable("pod", "0/6 nodes")
        self.compare(play)

    @short
    def test_gates(self):
        def play(stage):
            stage.nodes(node("only"))
            stage.pod("gated", gates=["example.com/one", "example.com/two"])
            stage._pod("gated", lambda pod: pod["status"].get("conditions"), "to have a condition")
            stage.patch_pod("gated", {"spec": {"schedulingGates": [{"name": "example.com/two"}]}})
            stage.patch_pod("gated", {"spec": {"schedulingGates": None}})
            stage.bound("gated")
        self.compare(play, describe=True)

    def test_claims(self):
        def play(stage):
            stage.create("storageclasses", storage_class("now", "example.com/none", "Immediate"))
            stage.create("storageclasses", storage_class("later"))
            stage.nodes(node("a"), node("b"))
            stage.pod("missing", claims=["nowhere"])
            stage.unschedulable("missing", "not found")
            stage.create("persistentvolumeclaims", claim("unbound", "now"))
            time.sleep(2)  # the watches of claims and of pods have no common order
            stage.pod("waiting", claims=["unbound"])
            stage.unschedulable("waiting", "unbound immediate")
            stage.create("persistentvolumeclaims", claim("local", "later"))
            time.sleep(2)
            stage.pod("homeless", claims=["local"])
            stage.unschedulable("homeless", "persistent volumes to bind")
        self.compare(play)

    def test_a_bound_volume_elsewhere(self):
        def play(stage):
            stage.create("storageclasses", storage_class("later"))
            pv = stage.create("persistentvolumes", volume("disk", "later", node="b", claim={
                "name": "mine", "namespace": stage.namespace}))
            made = stage.create("persistentvolumeclaims", claim("mine", "later", volume="disk"))
            stage.api.patch("persistentvolumes", pv["metadata"]["name"], {
                "spec": {"claimRef": {"uid": made["metadata"]["uid"]}}, "status": {"phase": "Bound"}})
            stage.api.patch("persistentvolumeclaims", "mine", {"metadata": {"annotations": {
                "pv.kubernetes.io/bind-completed": "yes"}}}, stage.namespace)
            stage.nodes(node("a"), node("b", cpu="100m"))
            stage.pod("pod", cpu="1", claims=["mine"])
            stage.unschedulable("pod", "0/2 nodes")
        self.compare(play)

    @short
    def test_preemption_step_by_step(self):
        def play(stage):
            stage.nodes(node("only", cpu="1"))
            stage.pod("low-1", cpu="400m", priority=1, grace=600)
            stage.pod("low-2", cpu="400m", priority=2, grace=600)
            stage.bound("low-1"), stage.bound("low-2")
            stage.pod("urgent", cpu="900m", priority=1000)
            stage.nominated("urgent")
            stage.terminating("low-1"), stage.terminating("low-2")
            stage.record()
            stage.end("low-1")
            stage.record()
            stage.end("low-2")
            stage.bound("urgent")
        self.compare(play, describe=True)

    def test_preemption_chooses_the_lesser_evil(self):
        def play(stage):
            stage.nodes(node("a", cpu="1"), node("b", cpu="1"), node("c", cpu="1"))
            for where, priority in (("a", 30), ("b", 20), ("c", 40)):
                stage.pod(f"on-{where}", cpu="900m", priority=priority, nodeSelector={"kubernetes.io/hostname": where})
                stage.bound(f"on-{where}")
            stage.pod("urgent", cpu="900m", priority=1000)
            stage.bound("urgent")
        self.compare(play)

    def test_preemption_against_a_budget(self):
        def play(stage):
            stage.create("poddisruptionbudgets", disruption_budget("guard", {"app": "g"}, min_available=1))
            stage.nodes(node("a", cpu="1"), node("b", cpu="1"))
            stage.pod("guarded", cpu="900m", priority=1, labels={"app": "g"}, nodeSelector={"kubernetes.io/hostname": "a"})
            stage.pod("free", cpu="900m", priority=5, nodeSelector={"kubernetes.io/hostname": "b"})
            stage.bound("guarded"), stage.bound("free")
            stage.pod("urgent", cpu="900m", priority=1000)
            stage.bound("urgent")
        self.compare(play)

    @short
    def test_preemption_that_does_not_help(self):
        def play(stage):
            stage.nodes(node("a", cpu="1"), node("b", cpu="1", taints=[taint("t")]))
            stage.pod("equal", cpu="900m", priority=5)
            stage.bound("equal")
            stage.pod("hopeful", cpu="900m", priority=5)
            stage.unschedulable("hopeful", "preemption: 0/2 nodes")
            stage.pod("patient", cpu="900m", priority=10, preemptionPolicy="Never")
            stage.unschedulable("patient", "preemption: not eligible")
        self.compare(play)

    def test_a_nominated_pod_is_deleted(self):
        def play(stage):
            stage.nodes(node("only", cpu="1"))
            stage.pod("victim", cpu="900m", priority=1, grace=600)
            stage.bound("victim")
            stage.pod("urgent", cpu="900m", priority=1000)
            stage.nominated("urgent")
            stage.terminating("victim")
            stage.pod("later", cpu="900m", priority=10)
            stage.unschedulable("later")
            stage.delete("urgent", grace=0)
            stage.nominated("later")
            stage.end("victim")
            stage.bound("later")
        self.compare(play)

    def test_a_nominated_pod_goes_elsewhere(self):
        def play(stage):
            stage.nodes(node("full", cpu="1"))
            stage.pod("victim", cpu="900m", priority=1, grace=600)
            stage.bound("victim")
            stage.pod("urgent", cpu="900m", priority=1000)
            stage.nominated("urgent")
            stage.terminating("victim")
            stage.nodes(node("empty", cpu="1"))
            stage.bound("urgent")
        self.compare(play)

    def test_an_unschedulable_pod_is_deleted(self):
        def play(stage):
            stage.nodes(node("small", cpu="1"))
            stage.pod("big", cpu="2")
            stage.unschedulable("big")
            stage.delete("big", grace=0)
            stage.gone("big")
            stage.nodes(node("large", cpu="4"))
            stage.pod("big", cpu="2")
            stage.bound("big")
        self.compare(play)

    def test_a_node_is_deleted(self):
        def play(stage):
            stage.nodes(node("a"), node("b", cpu="100m"))
            stage.pod("first", cpu="1")
            stage.bound("first")
            stage.api.delete("nodes", "a")
            stage.nodes(node("marker", cpu="100m"))  # who knows of it has heard that the other is gone
            stage.pod("second", cpu="1")
            stage.unschedulable("second", "0/2 nodes")
            stage.nodes(node("a"))
            stage.bound("second")
        self.compare(play)
