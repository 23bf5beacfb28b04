# SPDX-License-Identifier: Apache-2.0
"""Rights: a cluster with RBAC, what works with the usual role, and what is told when a rule is missing."""
import json
import os

from harness.objects import claim, pod, storage_class, volume
from harness.programs import ROOT
from harness.scenario import Scenario, short
from harness.scheduler import configuration
from harness.volume_controller import VolumeController
from harness.waiting import wait_until

ELECTION = {"leaderElect": True, "leaseDuration": "15s", "renewDeadline": "10s", "retryPeriod": "2s",
            "resourceLock": "leases", "resourceName": "kube-scheduler", "resourceNamespace": "kube-system"}


def manifest():
    """The file with the scheduler's roles: what BERTH_RBAC_MANIFEST names, else ours for a scheduler in kube-scheduler's place."""
    return os.environ.get("BERTH_RBAC_MANIFEST") or str(ROOT / "deploy/manifests/replace.yaml")


class Rights(Scenario):
    control_plane_options = {"rbac": True, "users": {"limited-token": ("limited", [])}}

    def token(self):
        """A token of the account that the manifest gives its roles to."""
        applied = json.loads(self.plane.kubectl("apply", "-f", manifest(), "-o", "json"))
        items = applied.get("items", [applied])
        subject = next(item for item in items if item["kind"] == "ClusterRoleBinding")["subjects"][0]
        self.assertEqual(subject["kind"], "ServiceAccount", "the roles are expected to be a service account's")
        return self.api.service_account_token(subject["namespace"], subject["name"])

    def use_everything(self):
        """Bindings, volumes and preemption, which together need every right."""
        self.api.create("storageclasses", storage_class("local"))
        self.api.create("persistentvolumes", volume("disk", "local", node="node-0"))
        self.api.create("persistentvolumeclaims", claim("claim", "local"))
        self.api.create("pods", pod("with-volume", cpu="900m", claims=["claim"], priority=1))
        self.wait_bound(["with-volume"])
        self.api.create("pods", pod("low", cpu="900m", priority=1))
        self.wait_bound(["low"])
        self.api.create("pods", pod("high", cpu="900m", priority=1000))
        self.wait_bound(["high"])
        wait_until(lambda: {"Scheduled", "Preempted"} <= {e["reason"] for e in self.api.list("events", "default")},
                   "events to be written")

    @short
    def test_the_usual_roles_are_enough(self):
        controller = VolumeController(self.api, "local")
        self.addCleanup(controller.stop)
        self.make_nodes(2, cpu="1")
        kubeconfig = self.plane.kubeconfig("scheduler.kubeconfig", self.token())
        scheduler = self.start_scheduler(kubeconfig=kubeconfig, config=configuration(kubeconfig, leader_election=ELECTION))
        self.use_everything()
        self.assertNotIn("forbidden", scheduler.log_text())

    def give_limited_rights(self, without):
        """The user "limited" may do what kube-scheduler may, except for what concerns the resource `without`."""
        rules = []
        for name in ("system:kube-scheduler", "system:volume-scheduler"):
            rules += self.api.get("clusterroles", name)["rules"]
        for rule in rules:
            rule["resources"] = [r for r in rule.get("resources", []) if r != without]
        rules = [rule for rule in rules if rule["resources"]]
        self.api.create("clusterroles", {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
                                         "metadata": {"name": "limited"}, "rules": rules})
        self.api.create("clusterrolebindings", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "limited"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "limited"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "limited"}]})

    def start_limited(self, leader_election=None):
        kubeconfig = self.plane.kubeconfig("limited.kubeconfig", "limited-token")
        config = configuration(kubeconfig, leader_election=leader_election)
        return self.scheduler(kubeconfig=kubeconfig, config=config, name="limited").start(wait=False)

    @staticmethod
    def wait_logged(scheduler, words):
        # Quotation marks are escaped in logs.
        wait_until(lambda: words in scheduler.log_text().replace('\\"', '"'), f"the log to say: {words}")

    @short
    def test_the_log_names_a_kind_that_may_not_be_listed(self):
        self.give_limited_rights(without="namespaces")
        scheduler = self.start_limited()
        self.wait_logged(scheduler, 'cannot list resource "namespaces"')
        # Given the right, it goes on without a restart.
        role = self.api.get("clusterroles", "limited")
        role["rules"].append({"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get", "list", "watch"]})
        self.api.replace("clusterroles", role)
        scheduler.wait_ready(90)

    @short
    def test_who_cannot_read_everything_leaves_the_lease_to_others(self):
        self.make_nodes(1)
        self.give_limited_rights(without="poddisruptionbudgets")
        limited = self.start_limited(ELECTION)
        self.wait_logged(limited, 'cannot list resource "poddisruptionbudgets"')
        kubeconfig = self.plane.kubeconfig()
        self.start_scheduler(config=configuration(kubeconfig, leader_election=ELECTION))
        self.api.create("pods", pod("pod"))
        self.wait_bound(["pod"])
        self.assertTrue(limited.running())

    def test_the_log_and_an_event_name_a_write_that_is_not_allowed(self):
        self.make_nodes(1)
        self.give_limited_rights(without="pods/binding")
        scheduler = self.start_limited()
        self.api.create("pods", pod("pod"))
        words = 'cannot create resource "pods/binding"'
        self.wait_logged(scheduler, words)
        wait_until(lambda: any(words in event.get("note", "") for event in self.api.list("events", "default")),
                   "an event to name what is missing")
