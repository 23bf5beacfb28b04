# SPDX-License-Identifier: Apache-2.0
"""The ground scenarios stand on: a scratch folder, a control plane, schedulers that end with the test."""
import datetime
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from . import objects
from .control_plane import ControlPlane
from .fault_proxy import FaultProxy
from .pod_history import PodHistory
from .programs import scheduler_under_test
from .scheduler import Scheduler, configuration
from .waiting import wait_until


def mode():
    """How much is done: "short", "ci" or "all"."""
    return os.environ.get("BERTH_KUBERNETES_MODE", "ci")


def scaled(short, ci, everything=None):
    """The value for the mode of this run."""
    return {"short": short, "ci": ci, "all": ci if everything is None else everything}[mode()]


def short(test):
    """Marks a test that runs in the short mode too."""
    test.runs_in_short_mode = True
    return test


class Scenario(unittest.TestCase):
    """Each test has a control plane of its own, made with `control_plane_options`. The scratch folder is kept when it fails."""

    control_plane_options = {}

    def setUp(self):
        self.scratch = Path(tempfile.mkdtemp(prefix="berth-kubernetes-"))
        self.plane = self.start_plane("plane", **self.control_plane_options)
        self.api = self.plane.api
        self.history = PodHistory(self.api)
        self.addCleanup(self.history.stop)

    def run(self, result=None):
        # A cleanup cannot tell whether the test has failed.
        before = len(result.failures) + len(result.errors)
        super().run(result)
        self._clean(failed=len(result.failures) + len(result.errors) > before)

    def _clean(self, failed):
        if not hasattr(self, "scratch"):
            return
        if failed or os.environ.get("BERTH_KUBERNETES_KEEP"):
            print(f"# logs are kept in {self.scratch}", flush=True)
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def note(self, text):
        """A line with the time into notes.txt of the scratch folder."""
        with open(self.scratch / "notes.txt", "a", encoding="utf-8") as out:
            print(datetime.datetime.now().isoformat(timespec="milliseconds"), text, file=out)

    def start_plane(self, name, **options):
        plane = ControlPlane(self.scratch / name, **options)
        self.addCleanup(plane.stop)
        return plane

    def start_proxy(self, name="proxy", plane=None, seed=1):
        proxy = FaultProxy(plane or self.plane, name, seed)
        self.addCleanup(proxy.stop)
        return proxy

    def scheduler(self, binary=None, kubeconfig=None, config=None, name="scheduler", **options):
        """A scheduler that is not started yet: the one under test, with the default configuration, unless told otherwise."""
        kubeconfig = kubeconfig or self.plane.kubeconfig()
        if config is None:
            config = configuration(kubeconfig)
        made = Scheduler(binary or scheduler_under_test(), self.scratch, kubeconfig, config, name=name, **options)
        self.addCleanup(made.stop)
        return made

    def start_scheduler(self, **options):
        return self.scheduler(**options).start()

    def make_nodes(self, count, prefix="node", **fields):
        self.api.create_all("nodes", [objects.node(f"{prefix}-{i}", **fields) for i in range(count)])

    def wait_bound(self, names, timeout=60, history=None):
        """Waits until every pod of `names` has a node."""
        history, names = history or self.history, set(names)

        def missing():
            return names - history.bound().keys()
        wait_until(lambda: not missing(),
                   lambda: f"{len(missing())} of {len(names)} pods to be bound, such as {sorted(missing())[:3]}", timeout)
        return history.bound()

    def wait_pod(self, name, condition, what, timeout=30, history=None):
        """Waits until `condition(pod)` holds of the pod, and returns it."""
        history = history or self.history
        return wait_until(lambda: (pod := history.latest().get(name)) and condition(pod) and pod,
                          lambda: f"{name} {what}; it is {history.latest().get(name, {}).get('status')}", timeout)

    def wait_unschedulable(self, name, timeout=30, history=None):
        return self.wait_pod(name, lambda pod: objects.condition(pod, "PodScheduled").get("status") == "False",
                             "to be unschedulable", timeout, history)
