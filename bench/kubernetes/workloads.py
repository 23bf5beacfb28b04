# SPDX-License-Identifier: Apache-2.0
"""What the schedulers are given to do. The workloads follow those of Kubernetes' scheduler_perf; all run on the same nodes:
4 CPUs, 32 GiB, three zones."""
from dataclasses import dataclass, field
from typing import Callable

from harness import objects

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
BLUE = {"color": "blue"}
CSI_DRIVER = "driver.example.com"


@dataclass(frozen=True)
class Counts:
    """How many pods: already on nodes, waiting when the scheduler starts, created at once, created at a rate."""
    placed: int
    waiting: int
    burst: int
    steady: int
    rate: float

    @property
    def total(self):
        return self.placed + self.waiting + self.burst + self.steady


@dataclass(frozen=True)
class Workload:
    """`pod(i, name, namespace, nodes)` builds the i-th measured pod, `placed` one that is on a node from the beginning (like
    a measured one unless given). `beside(namespace, counts, nodes)` builds further objects by the name of their set, created before
    the pods; those in `churned` are deleted and created anew all the time. `config` are fields of the scheduler's configuration."""
    name: str
    title: str
    pod: Callable
    waiting: int
    burst: int
    rate: float
    placed_per_node: float = 0.0
    placed: Callable = None
    beside: Callable = None
    churned: tuple = ()
    provisions: str = ""
    # How many measured pods the cluster can take, for each of its nodes.
    room: float = 30.0
    config: dict = field(default_factory=dict)

    def counts(self, nodes, quick):
        seconds, share = (2, 0.1) if quick else (10, 1)
        placed = int(nodes * self.placed_per_node) if self.placed_per_node else min(nodes, 1000)
        steady = int(self.rate * seconds)
        # Small clusters get fewer pods, in the same proportions.
        limit = min(1.0, nodes * self.room * 0.95 / (self.waiting * share + self.burst * share + steady))
        if quick:
            limit = min(limit, 2 * nodes / (self.waiting * share + self.burst * share))
        return Counts(placed, max(2, int(self.waiting * share * limit)), max(2, int(self.burst * share * limit)),
                      max(2, int(steady * limit)), self.rate)


def nodes(count):
    return [objects.node(node_name(i), memory="32Gi", labels={ZONE: f"zone-{i % 3}"}) for i in range(count)]


def node_name(i):
    return f"node-{i:05}"


def plain(name, namespace, **fields):
    return objects.pod(name, namespace, **{"cpu": "100m", "memory": "500Mi", **fields})


def basic(i, name, namespace, nodes):
    return plain(name, namespace)


def distinct(i, name, namespace, nodes):
    return plain(name, namespace, cpu=f"{50 + i % 97}m", memory=f"{(100 << 20) + i * 4096}")


def spread(when):
    def build(i, name, namespace, nodes):
        constraint = objects.spread(BLUE, ZONE, max_skew=5)[0]
        return plain(name, namespace, labels=BLUE, topologySpreadConstraints=[{**constraint, "whenUnsatisfiable": when}])
    return build


def affinity(i, name, namespace, nodes):
    return plain(name, namespace, labels=BLUE, affinity=objects.pod_affinity(BLUE, ZONE))


def anti_affinity(i, name, namespace, nodes):
    """Applications with half as many replicas as there are nodes, at most one on each."""
    labels = {"app": f"app-{i // max(1, nodes // 2)}"}
    return plain(name, namespace, labels=labels, affinity=objects.pod_affinity(labels, HOST, anti=True))


def unschedulable(namespace, counts, nodes):
    """Pods that are too large for every node, and what changes around them: nodes without room, pods that run. Each deleted pod could
    have made room, so that the waiting ones are tried again."""
    return {
        "too-large": [plain(f"too-large-{i:05}", namespace, cpu="9", priority=10) for i in range(max(2, nodes // 10))],
        "churned-nodes": [objects.node(f"churned-{i}", pods="0", labels={ZONE: "zone-0"}) for i in range(5)],
        "churned-pods": [{**pod, "spec": {**pod["spec"], "nodeName": node_name(i)}} for i in range(min(100, nodes))
                         for pod in [plain(f"churned-{i:05}", namespace)]],
    }


def low_priority(i, name, namespace, nodes):
    return plain(name, namespace, cpu="900m")


def high_priority(i, name, namespace, nodes):
    return plain(name, namespace, cpu="3", priority=10)


def with_claim(i, name, namespace, nodes):
    return plain(name, namespace, claims=[f"claim-{name}"])


def measured_names(counts):
    return [name for stage in ("waiting", "burst", "steady") for name in pod_names(stage, getattr(counts, stage))]


def pod_names(stage, count):
    return [f"{stage}-{i:05}" for i in range(count)]


def bound_volumes(namespace, counts, nodes):
    """A bound volume for each pod; nodes take 39 volumes of the driver."""
    result = {"storage-classes": [], "volumes": [], "claims": [], "csi-nodes": [
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": node_name(i)},
         "spec": {"drivers": [{"name": CSI_DRIVER, "nodeID": node_name(i), "allocatable": {"count": 39}}]}}
        for i in range(nodes)]}
    for name in measured_names(counts):
        claim, volume = f"claim-{name}", f"pv-{namespace}-{name}"
        result["volumes"].append(objects.volume(volume, "", modes=("ReadOnlyMany",), driver=CSI_DRIVER,
                                                claim={"name": claim, "namespace": namespace}))
        made = objects.claim(claim, "", modes=("ReadOnlyMany",), namespace=namespace, volume=volume)
        made["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
        result["claims"].append(made)
    return result


def awaited_volumes(namespace, counts, nodes):
    """A claim for each pod, whose volume is made when the scheduler has chosen a node."""
    return {"storage-classes": [objects.storage_class("awaits", CSI_DRIVER)],
            "claims": [objects.claim(f"claim-{name}", "awaits", namespace=namespace) for name in measured_names(counts)]}


WORKLOADS = [
    Workload("basic", "basic", basic, waiting=4000, burst=4000, rate=100),
    Workload("every-node", "basic, every node scored", basic, waiting=1500, burst=1500, rate=50, config={"percentageOfNodesToScore": 100}),
    Workload("distinct", "distinct", distinct, waiting=4000, burst=4000, rate=100),
    Workload("zone-spread", "zone spread", spread("DoNotSchedule"), waiting=2500, burst=2500, rate=50),
    Workload("preferred-spread", "preferred zone spread", spread("ScheduleAnyway"), waiting=2500, burst=2500, rate=50),
    Workload("affinity", "required affinity", affinity, waiting=2500, burst=2500, rate=50),
    Workload("anti-affinity", "required anti-affinity", anti_affinity, waiting=2500, burst=2500, rate=50,
             placed=lambda i, name, namespace, nodes: plain(name, namespace)),
    Workload("unschedulable", "beside unschedulable pods", basic, waiting=3000, burst=3000, rate=50, beside=unschedulable,
             churned=("too-large", "churned-nodes", "churned-pods")),
    Workload("preemption", "preemption", high_priority, waiting=400, burst=400, rate=15, placed=low_priority, placed_per_node=4, room=1),
    Workload("volumes", "bound volumes", with_claim, waiting=2500, burst=2500, rate=50, beside=bound_volumes,
             placed=basic),
    Workload("provisioning", "volumes on demand", with_claim, waiting=1000, burst=1000, rate=20, beside=awaited_volumes,
             placed=basic, provisions="awaits"),
]
