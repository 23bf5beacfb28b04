# SPDX-License-Identifier: Apache-2.0
"""Every configuration that kube-scheduler accepts starts the scheduler, and it becomes ready."""
import json
import os
import re
from pathlib import Path

from harness.programs import ROOT
from harness.scenario import Scenario, mode, short

# A checkout that has the full set beside it uses that; this repository holds a part of it.
FOLDERS = [Path(os.environ.get("BERTH_GOLDEN_CONFIGS", ROOT.parent / "shared/conformance/configs")),
           ROOT / "conformance/configs"]
# Enough for the short run.
FEW = ("anchors-and-merge-key.yaml", "args-every-kind-valid.yaml", "defaults-explicit-nulls.yaml", "json-input.json")

# These name plugins whose feature gate is off: kube-scheduler accepts them, and then waits for kinds that nobody serves.
NEVER_READY = ("multipoint-gated-plugin.yaml", "placement-points.yaml")


def folder():
    return next(f for f in FOLDERS if (f / "expected.jsonl").exists())


def accepted():
    """Files that upstream accepts."""
    with open(folder() / "expected.jsonl", encoding="utf-8") as lines:
        return [case["file"] for case in map(json.loads, lines) if case["stage"] == "ok"
                and Path(case["file"]).name not in NEVER_READY]


def with_kubeconfig(text, name, kubeconfig):
    """The configuration as it is, except for where the API server is."""
    if name.endswith(".json"):
        value = json.loads(text)
        value.setdefault("clientConnection", {})["kubeconfig"] = kubeconfig
        return json.dumps(value)
    first, separator, rest = text.partition("\n---")
    if not first.strip(" \n-") or re.fullmatch(r"(\s*#.*|\s*)*", first):
        first, separator, rest = text, "", ""
    if re.search(r"^clientConnection:\s*(\{|null|~|$)", first, re.M) and not re.search(r"^\s+kubeconfig:", first, re.M):
        block = re.search(r"^clientConnection:[ \t]*(\S.*)?$", first, re.M)
        if block.group(1):
            first = first.replace(block.group(0), f"clientConnection: {{kubeconfig: {kubeconfig}}}", 1)
        else:
            first = first.replace(block.group(0), f"clientConnection:\n  kubeconfig: {kubeconfig}", 1)
    elif re.search(r"^\s+kubeconfig:", first, re.M):
        first = re.sub(r"^(\s+kubeconfig:).*$", rf"\1 {kubeconfig}", first, count=1, flags=re.M)
    else:
        first = first.rstrip("\n") + f"\nclientConnection: {{kubeconfig: {kubeconfig}}}"
    return first + ("\n" + separator.lstrip("\n") + rest if separator else "\n")


class Configurations(Scenario):
    def start_with(self, file):
        text = (folder() / file).read_text()
        name = Path(file).name
        path = self.scratch / name
        path.write_text(with_kubeconfig(text, name, self.plane.kubeconfig()))
        scheduler = self.scheduler(config=str(path), name=name.partition(".")[0], flags=["--leader-elect=false"])
        try:
            scheduler.start()
        finally:
            scheduler.stop()

    @short
    def test_accepted_configurations_start_the_scheduler(self):
        files = [file for file in accepted() if mode() != "short" or Path(file).name in FEW]
        self.assertGreaterEqual(len(files), len(FEW))
        failures = []
        for file in files:
            try:
                self.start_with(file)
            except AssertionError as error:
                failures.append(f"{file}: {str(error).splitlines()[-1]}")
        self.assertFalse(failures, f"{len(failures)} of {len(files)} configurations:\n" + "\n".join(failures))

    def test_no_configuration_at_all(self):
        """--kubeconfig and flags are enough."""
        scheduler = self.scheduler(config="", flags=["--leader-elect=false"])
        scheduler.start()
