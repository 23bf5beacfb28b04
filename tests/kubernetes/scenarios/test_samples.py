# SPDX-License-Identifier: Apache-2.0
"""The samples of examples/ that are for a cluster, run with the manifests beside them."""
import json

from harness.objects import pod
from harness.programs import ROOT
from harness.scenario import Scenario
from harness.waiting import wait_until

SAMPLE = ROOT / "examples/sample_plugin/deploy"
PROGRAM = ROOT / "build/release/bin/sample-scheduler-framework"

# What the role of older tutorials lacks.
LACKING = ("namespaces", "csidrivers", "csistoragecapacities", "volumeattachments")


class SamplePlugin(Scenario):
    control_plane_options = {"rbac": True}

    def apply(self, file):
        applied = json.loads(self.plane.kubectl("apply", "-f", str(file), "-o", "json"))
        return applied.get("items", [applied])

    def start_sample(self, without=(), wait=True):
        """The program of the Deployment, with the configuration of its ConfigMap, as its account; which may not read the
        resources of `without`."""
        items = {(item["kind"], item["metadata"]["name"]): item for item in self.apply(SAMPLE / "sample-scheduler.yaml")}
        role = self.api.get("clusterroles", "sample-scheduler-clusterrole")
        for rule in role["rules"]:
            rule["resources"] = [resource for resource in rule["resources"] if resource not in without]
        self.api.replace("clusterroles", role)
        path = self.api.path("serviceaccounts", "kube-system", "sample-scheduler-sa", "token")
        token = self.api.request("POST", path, {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
                                                "spec": {"expirationSeconds": 3600}})["status"]["token"]
        kubeconfig = self.plane.kubeconfig("sample.kubeconfig", token)
        config = self.scratch / "scheduler-config.yaml"
        mounted = items["ConfigMap", "scheduler-config"]["data"]["scheduler-config.yaml"]
        config.write_text(mounted + f"clientConnection:\n  kubeconfig: {kubeconfig}\n")
        container = items["Deployment", "sample-scheduler"]["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["command"], [PROGRAM.name])
        flags = [flag for flag in container["args"] if not flag.startswith("--config=")]
        return self.scheduler(binary=PROGRAM, kubeconfig=kubeconfig, config=config, flags=flags).start(wait=wait)

    @staticmethod
    def wait_logged(scheduler, words):
        # Quotation marks are escaped in logs.
        wait_until(lambda: words in scheduler.log_text().replace('\\"', '"'), f"the log to say: {words}")

    def test_it_places_the_pods_that_ask_for_it(self):
        self.make_nodes(2, cpu="4")
        scheduler = self.start_sample()
        self.api.create("pods", pod("other"))
        # No controller makes pods here.
        template = self.apply(SAMPLE / "test-scheduler.yaml")[0]["spec"]["template"]
        self.api.create("pods", {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
                                 "metadata": {**template["metadata"], "name": "test-scheduler-1", "namespace": "default"}})
        node = self.wait_bound(["test-scheduler-1"])["test-scheduler-1"]
        for words in ("prefilter pod: test-scheduler-1", "filter pod: test-scheduler-1, node: node-0",
                      "filter pod: test-scheduler-1, node: node-1", f"prebind node info: {node} ",
                      f'pod="default/test-scheduler-1" node="{node}" evaluatedNodes=2 feasibleNodes=2'):
            self.wait_logged(scheduler, words)
        self.assertNotIn("other", self.history.bound(), "it is another scheduler's")
        self.assertNotIn("forbidden", scheduler.log_text())
        self.assertTrue(self.api.get("leases", "sample-scheduler", "kube-system")["spec"]["holderIdentity"])

    def test_the_role_of_older_tutorials_is_told_what_it_lacks(self):
        scheduler = self.start_sample(without=LACKING, wait=False)
        for resource in LACKING:
            self.wait_logged(scheduler, f'cannot list resource "{resource}"')
