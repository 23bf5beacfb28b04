# SPDX-License-Identifier: Apache-2.0
"""Pods with volumes that are bound or made when their first consumer is placed."""
from harness.objects import claim, condition, pod, storage_class, volume
from harness.scenario import Scenario, scaled, short
from harness.volume_controller import SELECTED_NODE, VolumeController
from harness.waiting import wait_until


class Volumes(Scenario):
    def setUp(self):
        super().setUp()
        self.make_nodes(4)
        self.api.create("storageclasses", storage_class("made", "example.com/provisioner"))
        self.api.create("storageclasses", storage_class("local"))

    def start_controller(self, name):
        controller = VolumeController(self.api, name)
        self.addCleanup(controller.stop)
        self.addCleanup(lambda: self.assertEqual(controller.errors, []))
        return controller

    def node_of_volume(self, claim_name):
        name = self.api.get("persistentvolumeclaims", claim_name)["spec"]["volumeName"]
        terms = self.api.get("persistentvolumes", name)["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
        return terms[0]["matchExpressions"][0]["values"][0]

    @short
    def test_volumes_are_provisioned_where_their_pods_go(self):
        controller = self.start_controller("made")
        self.start_scheduler()
        names = [f"pod-{i}" for i in range(scaled(8, 40))]
        for name in names:
            self.api.create("persistentvolumeclaims", claim(f"claim-{name}", "made"))
            self.api.create("pods", pod(name, claims=[f"claim-{name}"]))
        bound = self.wait_bound(names)
        for name in names:
            self.assertEqual(self.node_of_volume(f"claim-{name}"), bound[name])
        self.assertEqual(len(controller.selections), len(names))
        self.history.check()

    @short
    def test_a_provisioner_that_cannot_is_asked_elsewhere(self):
        controller = self.start_controller("made")
        controller.refused = {"node-0", "node-1", "node-2"}
        self.start_scheduler()
        self.api.create("persistentvolumeclaims", claim("claim", "made"))
        self.api.create("pods", pod("pod", claims=["claim"]))
        wait_until(lambda: controller.selections, "a node to be selected")
        self.assertNotIn("nodeName", self.history.latest()["pod"]["spec"] if controller.selections[-1][1] in
                         controller.refused else {})
        # Room on the others goes away, so that the next attempts end where it can.
        for name in sorted(controller.refused):
            self.api.patch("nodes", name, {"spec": {"unschedulable": True}})
        self.assertEqual(self.wait_bound(["pod"], timeout=60)["pod"], "node-3")

    @short
    def test_local_volumes_are_bound_to_the_claim_before_the_pod(self):
        self.start_controller("local")
        for i in range(4):
            self.api.create("persistentvolumes", volume(f"disk-{i}", "local", size=f"{i + 1}Gi", node=f"node-{i}"))
        self.start_scheduler()
        # Only the largest is large enough.
        self.api.create("persistentvolumeclaims", claim("large", "local", "4Gi"))
        self.api.create("pods", pod("consumer", claims=["large"]))
        self.assertEqual(self.wait_bound(["consumer"])["consumer"], "node-3")
        ref = self.api.get("persistentvolumes", "disk-3")["spec"]["claimRef"]
        self.assertEqual((ref["namespace"], ref["name"]), ("default", "large"))
        # Nothing is left that would do.
        self.api.create("persistentvolumeclaims", claim("too-large", "local", "5Gi"))
        self.api.create("pods", pod("hopeless", claims=["too-large"]))
        told = condition(self.wait_unschedulable("hopeless"), "PodScheduled")["message"]
        self.assertIn("didn't find available persistent volumes to bind", told)
        self.api.create("persistentvolumes", volume("disk-4", "local", size="5Gi", node="node-2"))
        self.assertEqual(self.wait_bound(["hopeless"])["hopeless"], "node-2")

    @short
    def test_a_claim_that_appears_later(self):
        self.start_controller("made")
        self.start_scheduler()
        self.api.create("pods", pod("early", claims=["late"]))
        told = condition(self.wait_unschedulable("early"), "PodScheduled")["message"]
        self.assertIn('persistentvolumeclaim "late" not found', told)
        self.api.create("persistentvolumeclaims", claim("late", "made"))
        self.wait_bound(["early"])
        selected = self.api.get("persistentvolumeclaims", "late")["metadata"]["annotations"][SELECTED_NODE]
        self.assertEqual(selected, self.history.bound()["early"])
