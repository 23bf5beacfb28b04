# SPDX-License-Identifier: Apache-2.0
"""One run: one scheduler, one workload, one size."""
import time
from pathlib import Path

from harness import objects
from harness.scheduler import Scheduler, configuration
from harness.waiting import wait_until

from load import Load, LoadError
from workloads import node_name, pod_names

STAGE_TIMEOUT = 300
CLIENT_QPS = 5000
# What a run may leave behind, with the pods and claims of its namespace.
CLUSTER_WIDE = ["/api/v1/persistentvolumes", "/apis/storage.k8s.io/v1/storageclasses", "/apis/storage.k8s.io/v1/csinodes"]


def memory(pid):
    """Resident memory of a process in bytes, now and at most."""
    fields = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return {"rss": int(fields["VmRSS"].split()[0]) * 1024, "peak": int(fields["VmHWM"].split()[0]) * 1024}


class Run:
    """Measures `binary` with `workload` in a namespace of its own. The cluster has its `nodes` nodes and nothing else, before
    and after."""

    def __init__(self, plane, scratch, binary, workload, nodes, namespace, quick):
        self._plane, self._binary, self._workload, self._nodes = plane, binary, workload, nodes
        self._namespace, self._quick = namespace, quick
        self._scratch = Path(scratch) / namespace
        self._counts = workload.counts(nodes, quick)
        self._load = self._scheduler = None

    def measure(self):
        """The figures, as far as they could be taken; `error` tells what went wrong."""
        result = {"counts": {**vars(self._counts), "total": self._counts.total}}
        self._load = Load(self._plane, self._scratch)
        try:
            result["setup"] = self._set_up()
            self._stages(result)
        except (LoadError, AssertionError, OSError) as error:
            result["error"] = str(error)
        finally:
            self._clean(result)
        return result

    def _set_up(self):
        load, workload, namespace, counts = self._load, self._workload, self._namespace, self._counts
        began = time.monotonic()
        load.read("namespace", [objects.namespace(namespace)])
        load("create", set="namespace")
        beside = workload.beside(namespace, counts, self._nodes) if workload.beside else {}
        for name, made in beside.items():
            load.read(name, made)
            load("create", set=name)
        load.read("placed", self._placed())
        load("create", set="placed")
        start = 0
        for stage in ("waiting", "burst", "steady"):
            count = getattr(counts, stage)
            load.read(stage, [workload.pod(start + i, name, namespace, self._nodes)
                              for i, name in enumerate(pod_names(stage, count))])
            start += count
        load("watch", namespace=namespace)
        load("create", set="waiting")
        if workload.provisions:
            load("provision", namespace=namespace, **{"class": workload.provisions})
        # What the API server does after the writes.
        time.sleep(1)
        return {"seconds": time.monotonic() - began}

    def _placed(self):
        build = self._workload.placed or self._workload.pod
        for i, name in enumerate(pod_names("placed", self._counts.placed)):
            pod = build(i, name, self._namespace, self._nodes)
            pod["spec"]["nodeName"] = node_name(i % self._nodes)
            yield pod

    def _stages(self, result):
        load, workload = self._load, self._workload
        kubeconfig = self._plane.kubeconfig()
        self._scheduler = Scheduler(self._binary, self._scratch, kubeconfig,
                                    configuration(kubeconfig, qps=CLIENT_QPS, **workload.config))
        if workload.churned:
            load("churn", sets=workload.churned, seconds=0.2)
        started = time.time_ns()
        self._scheduler.start(wait=False)
        pid = self._scheduler.pid
        load("processes", processes={"scheduler": pid, "kube-apiserver": self._plane.apiserver.pid,
                                     "etcd": self._plane.etcd.pid})
        self._stage(result, "drain", "drain", set="waiting", started=started, port=self._scheduler.port)
        self._stage(result, "burst", "live", set="burst")
        self._stage(result, "steady", "live", set="steady", rate=self._counts.rate)
        result["memory"] = memory(pid)
        if workload.name == "basic":
            time.sleep(2)
            result["idle"] = load("idle", seconds=5 if self._quick else 20)
        self._check(result)

    def _stage(self, result, name, do, **fields):
        result[name] = self._load(do, timeout=STAGE_TIMEOUT, **fields)
        if result[name].get("error"):
            tail = "\n".join(self._scheduler.log_text().splitlines()[-5:])
            raise LoadError(f"{name}: {result[name]['error']}\n{tail}")

    def _check(self, result):
        """Figures of a scheduler whose placements are wrong are no figures."""
        try:
            self._load("check", namespace=self._namespace)
        except LoadError:
            for name in ("drain", "burst", "steady", "memory", "idle"):
                result.pop(name, None)
            raise

    def _clean(self, result):
        if self._scheduler:
            self._scheduler.stop()
        # Ends churn and provisioning.
        self._load.stop()
        here = f"/api/v1/namespaces/{self._namespace}"
        cleaner = Load(self._plane, self._scratch)
        began = time.monotonic()
        try:
            cleaner("delete", paths=[f"{here}/pods", f"{here}/persistentvolumeclaims", *CLUSTER_WIDE,
                                     f"/apis/events.k8s.io/v1/namespaces/{self._namespace}/events"])
            if self._workload.churned:
                for name in [f"churned-{i}" for i in range(5)]:
                    if self._plane.api.find("nodes", name):
                        self._plane.api.delete("nodes", name)
        finally:
            cleaner.stop()
        result["cleanup"] = {"seconds": time.monotonic() - began}


def wait_calm(plane, timeout=30):
    """Waits until the API server does nothing of its own any more, as it does after its start."""
    def spent():
        fields = Path(f"/proc/{plane.apiserver.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def calm():
        before = spent()
        time.sleep(1)
        return spent() - before < 10
    try:
        wait_until(calm, "the API server to be calm", timeout, interval=0)
    except AssertionError:
        pass  # Then it is measured as it is.
