#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The chart: helm accepts it, and what it makes in each mode is what the overlay of that name makes."""
import os
import shutil
import subprocess
import unittest
from pathlib import Path

from needs import cannot, pyyaml

yaml = pyyaml()
ROOT = Path(__file__).resolve().parent.parent.parent
CHART = ROOT / "deploy/helm/berth"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
TOOLS = Path(os.environ.get("BERTH_TOOLS") or CACHE / "berth/tools") / "bin"
HELM = shutil.which("helm") or shutil.which("helm", path=TOOLS) or cannot("helm is missing: tests/deploy/install_tools.sh builds it")
NAMESPACES = {"second-scheduler": "berth-system", "shadow": "berth-shadow", "replace": "kube-system"}


def helm(*arguments):
    return subprocess.run([HELM, *arguments], capture_output=True, text=True)


def template(mode, *arguments):
    done = helm(
        "template", "berth-scheduler", CHART, "--namespace", NAMESPACES[mode], "--kube-version", "1.36.0",
        "--set", f"mode={mode}", *arguments,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(done.stderr)
    return [o for o in yaml.safe_load_all(done.stdout) if o]


def overlay(mode):
    return [o for o in yaml.safe_load_all((ROOT / f"deploy/manifests/{mode}.yaml").read_text()) if o]


def comparable(o, mode):
    """The object without what names and labels of releases and overlays make different."""
    text = yaml.safe_dump(o)
    for part in ("read", "write", "lease", "auth-delegator", "auth-reader"):
        text = text.replace(f"berth-scheduler-{part}-{mode}\n", f"berth-scheduler-{part}\n")
    o = yaml.safe_load(text)
    o["metadata"].pop("labels", None)
    if o["kind"] == "ConfigMap":
        o["metadata"]["name"] = "berth-scheduler-config"
        o["data"] = {key: yaml.safe_load(value) for key, value in o["data"].items()}
    spec = o.get("spec", {})
    spec.pop("selector", None)
    if o["kind"] == "Deployment":
        spec["template"].pop("metadata")
        pod = spec["template"]["spec"]
        pod["volumes"][0]["configMap"]["name"] = "berth-scheduler-config"
        for constraint in pod["topologySpreadConstraints"]:
            constraint.pop("labelSelector")
    return o


def by_name(objects, mode):
    made = [comparable(o, mode) for o in objects if o["kind"] != "Namespace"]
    return {(o["kind"], o["metadata"].get("namespace", ""), o["metadata"]["name"]): o for o in made}


class ChartTest(unittest.TestCase):
    maxDiff = None

    def test_lints(self):
        done = helm("lint", "--strict", CHART)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_mode_makes_what_its_overlay_makes(self):
        for mode in NAMESPACES:
            ours, theirs = by_name(template(mode), mode), by_name(overlay(mode), mode)
            self.assertEqual(sorted(ours), sorted(theirs), mode)
            for name, o in theirs.items():
                self.assertEqual(ours[name], o, (mode, name))

    def test_selectors_find_the_pods(self):
        for mode in NAMESPACES:
            found = {o["kind"]: o for o in template(mode)}
            deployment = found["Deployment"]["spec"]
            labels = deployment["template"]["metadata"]["labels"].items()
            constraints = deployment["template"]["spec"]["topologySpreadConstraints"]
            budgets = [found["PodDisruptionBudget"]] if mode != "shadow" else []
            for selector in (
                deployment["selector"]["matchLabels"],
                found["Service"]["spec"]["selector"],
                *(b["spec"]["selector"]["matchLabels"] for b in budgets),
                *(c["labelSelector"]["matchLabels"] for c in constraints),
            ):
                self.assertTrue(selector and selector.items() <= labels)

    def test_values_are_followed(self):
        found = {
            o["kind"]: o
            for o in template(
                "second-scheduler", "--set", "image.repository=registry.example.com/berth", "--set", "image.tag=v1", "--set", "replicas=1",
                "--set", "metrics.serviceMonitor.enabled=true", "--set", "extraArgs={--feature-gates=A=true}",
                "--set", "schedulerName=mine", "--set", "resources.requests.cpu=1",
            )
        }  # fmt: skip
        (container,) = found["Deployment"]["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["image"], "registry.example.com/berth:v1")
        self.assertEqual(container["args"][-1], "--feature-gates=A=true")
        self.assertEqual(container["resources"]["requests"]["cpu"], 1)
        self.assertEqual(yaml.safe_load(found["ConfigMap"]["data"]["scheduler.yaml"])["profiles"], [{"schedulerName": "mine"}])
        self.assertNotIn("PodDisruptionBudget", found, "with one replica it would only block drains")
        self.assertEqual(found["ServiceMonitor"]["spec"]["endpoints"][0]["port"], found["Service"]["spec"]["ports"][0]["name"])

    def test_a_configuration_of_your_own_is_used_whole(self):
        found = {o["kind"]: o for o in template("second-scheduler", "--set-json", 'config={"kind":"X","parallelism":7}')}
        self.assertEqual(yaml.safe_load(found["ConfigMap"]["data"]["scheduler.yaml"]), {"kind": "X", "parallelism": 7})

    def test_a_changed_configuration_makes_new_pods(self):
        def checksum(*arguments):
            found = {o["kind"]: o for o in template("second-scheduler", *arguments)}
            return found["Deployment"]["spec"]["template"]["metadata"]["annotations"]["checksum/config"]

        self.assertNotEqual(checksum(), checksum("--set", "schedulerName=mine"))

    def test_wrong_values_are_refused(self):
        for values, complaint in (("mode=third", "mode"), ("replicas=0", "replicas"), ("replica=2", "replica")):
            with self.assertRaises(AssertionError) as refused:
                template("second-scheduler", "--set", values)
            self.assertIn(complaint, str(refused.exception))
        done = helm("template", "b", CHART, "--namespace", "elsewhere", "--kube-version", "1.36.0", "--set", "mode=replace")
        self.assertIn("install it there", done.stderr)

    def test_the_version_is_the_projects(self):
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertIn(f"project(berth VERSION {chart['appVersion']} ", (ROOT / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main()
