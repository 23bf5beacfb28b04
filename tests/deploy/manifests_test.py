#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What deploy/manifests/ must hold to: upstream's rights and no others, pods that stay within the strictest standard."""
import re
import unittest
from itertools import product
from pathlib import Path

from needs import pyyaml

yaml = pyyaml()
ROOT = Path(__file__).resolve().parent.parent.parent
OVERLAYS = ("second-scheduler", "shadow", "replace")
READING = {"get", "list", "watch"}


def objects(overlay):
    return [o for o in yaml.safe_load_all((ROOT / f"deploy/manifests/{overlay}.yaml").read_text()) if o]


def only(found, kind):
    (one,) = [o for o in found if o["kind"] == kind]
    return one


def rights(rules):
    """Rules as single rights, so that sets of them can be compared."""
    return {
        (group, resource, verb, name)
        for rule in rules
        for group, resource, verb, name in product(
            rule["apiGroups"], rule["resources"], rule["verbs"], rule.get("resourceNames", ["*"])
        )
    }


def upstream(*roles):
    known = yaml.safe_load((ROOT / "tests/deploy/upstream_roles.yaml").read_text())
    return rights(rule for role in roles for rule in known[role])


def everywhere(found):
    return rights(rule for o in found if o["kind"] == "ClusterRole" for rule in o["rules"])


class RightsTest(unittest.TestCase):
    # Not given: a lease is in one namespace, coordinated leader election is not implemented, extensions/v1beta1 is long gone.
    ELSEWHERE = {"leases", "leasecandidates"}

    def expected(self):
        return {
            right
            for right in upstream("system:kube-scheduler", "system:volume-scheduler") - upstream("system:auth-delegator")
            if right[1] not in self.ELSEWHERE and right[0] != "extensions"
        }

    def test_a_scheduler_has_upstreams_rights_in_the_cluster(self):
        for overlay in ("second-scheduler", "replace"):
            self.assertEqual(everywhere(objects(overlay)), self.expected(), overlay)

    def test_a_shadow_has_those_that_read(self):
        reading = {right for right in self.expected() if right[2] in READING}
        self.assertEqual(everywhere(objects("shadow")), reading)
        self.assertLess(reading, self.expected())

    def test_leases_are_named_and_in_one_namespace(self):
        self.assertNotIn("Role", {o["kind"] for o in objects("shadow")})
        for overlay, lease in (("second-scheduler", "berth-scheduler"), ("replace", "kube-scheduler")):
            named = {("coordination.k8s.io", "leases", verb, lease) for verb in READING | {"update"}}
            given = rights(only(objects(overlay), "Role")["rules"])
            self.assertEqual(given, named | {("coordination.k8s.io", "leases", "create", "*")}, overlay)

    def test_bindings_lead_from_the_account_of_the_pods_to_roles_that_are_there(self):
        built_in = {"system:auth-delegator", "extension-apiserver-authentication-reader"}
        for overlay in OVERLAYS:
            found = objects(overlay)
            account = only(found, "ServiceAccount")["metadata"]
            deployment = only(found, "Deployment")
            self.assertEqual(deployment["spec"]["template"]["spec"]["serviceAccountName"], account["name"])
            self.assertEqual(deployment["metadata"]["namespace"], account["namespace"])
            roles = {o["metadata"]["name"] for o in found if o["kind"] in ("Role", "ClusterRole")}
            bindings = [o for o in found if o["kind"].endswith("RoleBinding")]
            self.assertEqual({b["roleRef"]["name"] for b in bindings}, roles | built_in, overlay)
            for binding in bindings:
                (subject,) = binding["subjects"]
                self.assertEqual((subject["name"], subject["namespace"]), (account["name"], account["namespace"]), overlay)

    def test_overlays_share_no_object(self):
        seen = {}
        for overlay in OVERLAYS:
            for o in objects(overlay):
                key = (o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"])
                self.assertNotIn(key, seen, f"{overlay} and {seen.get(key)}")
                seen[key] = overlay


class PodsTest(unittest.TestCase):
    def pods(self):
        for overlay in OVERLAYS:
            deployment = only(objects(overlay), "Deployment")
            yield overlay, deployment["spec"], deployment["spec"]["template"]["spec"]

    def test_run_with_as_little_as_possible(self):
        for overlay, _, pod in self.pods():
            (container,) = pod["containers"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"], overlay)
            self.assertEqual(pod["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
            self.assertEqual(
                container["securityContext"],
                {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}},
            )
            self.assertNotIn("hostNetwork", pod)
            self.assertTrue(all(set(volume) == {"name", "configMap"} for volume in pod["volumes"]))

    def test_are_two_apart_and_important(self):
        for overlay, deployment, pod in self.pods():
            shadow = overlay == "shadow"
            self.assertEqual(deployment["replicas"], 1 if shadow else 2, overlay)
            self.assertEqual(pod["priorityClassName"], "system-cluster-critical")
            spread = {c["topologyKey"]: c for c in pod["topologySpreadConstraints"]}
            self.assertEqual(spread["kubernetes.io/hostname"]["whenUnsatisfiable"], "DoNotSchedule")
            budgets = [o["spec"] for o in objects(overlay) if o["kind"] == "PodDisruptionBudget"]
            self.assertEqual(len(budgets), 0 if shadow else 1, "of one replica it would only block drains")
            labels = deployment["template"]["metadata"]["labels"]
            for selector in (deployment["selector"], *(b["selector"] for b in budgets), *(c["labelSelector"] for c in spread.values())):
                self.assertTrue(selector["matchLabels"] and selector["matchLabels"].items() <= labels.items(), overlay)
            self.assertLessEqual(only(objects(overlay), "Service")["spec"]["selector"].items(), labels.items())

    def test_are_probed_over_https_on_the_port_of_metrics(self):
        for overlay, _, pod in self.pods():
            (container,) = pod["containers"]
            self.assertEqual([(p["name"], p["containerPort"]) for p in container["ports"]], [("https", 10259)])
            for probe, path in (("startupProbe", "/livez"), ("livenessProbe", "/livez"), ("readinessProbe", "/readyz")):
                self.assertEqual(container[probe]["httpGet"], {"path": path, "port": "https", "scheme": "HTTPS"}, overlay)

    def test_read_the_configuration_with_the_name_of_their_overlay(self):
        names = {"second-scheduler": "berth-scheduler", "shadow": "default-scheduler", "replace": "default-scheduler"}
        for overlay, _, pod in self.pods():
            config = only(objects(overlay), "ConfigMap")
            self.assertEqual(pod["volumes"][0]["configMap"]["name"], config["metadata"]["name"])
            read = yaml.safe_load(config["data"]["scheduler.yaml"])
            self.assertEqual([p["schedulerName"] for p in read["profiles"]], [names[overlay]])
            self.assertTrue(read["leaderElection"]["leaderElect"])

    def test_the_image_has_the_version_of_the_project(self):
        version = re.search(r"project\(berth VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        for overlay, _, pod in self.pods():
            self.assertEqual(pod["containers"][0]["image"], f"berth:{version}", overlay)


if __name__ == "__main__":
    unittest.main()
