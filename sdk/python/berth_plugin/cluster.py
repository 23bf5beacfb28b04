# SPDX-License-Identifier: Apache-2.0
"""What the scheduler knows of the cluster."""
import collections
import threading

from .contract import pb
from .objects import Object, Pod, new_node

# A container image that nodes hold: how many do, in the cycle that is under way.
Image = collections.namedtuple("Image", ["name", "size_bytes", "nodes"])

# Numbers of nodes are dense: one far beyond is a mistake that would cost a lot of memory.
_MOST_NODES = 1 << 22
_BITS = [tuple(bit for bit in range(8) if byte >> bit & 1) for byte in range(256)]


class Cluster:
    """A mirror. Any thread may read; during a step it does not change."""

    def __init__(self):
        self._lock = threading.RLock()
        self._nodes = []  # by id; None where there is none
        self._by_name = {}
        self._pods = {}
        self._by_uid = {}
        self._placed = {}  # pod id: node id
        self._nominated = {}
        self._images = {}
        self._objects = {}  # kind: {(namespace, name): Object}
        self.complete = False  # everything that there was has been told

    def node(self, name):
        """The node of this name, or None."""
        with self._lock:
            number = self._by_name.get(name)
            return None if number is None else self._nodes[number]

    def node_by_id(self, number):
        with self._lock:
            return self._nodes[number] if 0 <= number < len(self._nodes) else None

    @property
    def nodes(self):
        """All nodes, in ascending order of their ids."""
        with self._lock:
            return [node for node in self._nodes if node is not None]

    def pod(self, number):
        """The pod with this id, or None."""
        with self._lock:
            return self._pods.get(number)

    def pod_by_uid(self, uid):
        with self._lock:
            return self._pods.get(self._by_uid.get(uid))

    @property
    def pods(self):
        """All pods, in no order."""
        with self._lock:
            return list(self._pods.values())

    def node_of(self, pod):
        """Where the pod counts as placed, or None."""
        with self._lock:
            number = self._placed.get(pod.id)
            return None if number is None else self._nodes[number]

    def nominated_node(self, pod):
        """The name of the node that the pod was promised, or None."""
        with self._lock:
            return self._nominated.get(pod.id)

    def object(self, kind, namespace, name):
        """An object of a kind that the plugin has asked for, or None."""
        with self._lock:
            return self._objects.get(kind, {}).get((namespace, name))

    def objects(self, kind):
        with self._lock:
            return list(self._objects.get(kind, {}).values())

    def image(self, name):
        """A container image, for plugins that set `images`; None: no node has held it."""
        with self._lock:
            return self._images.get(name)

    def in_set(self, bits):
        """The nodes of a NodeSet, in ascending order of their ids."""
        nodes = []
        with self._lock:
            for i, byte in enumerate(bits):
                for bit in _BITS[byte]:
                    node = self._nodes[i * 8 + bit] if i * 8 + bit < len(self._nodes) else None
                    if node is None:
                        raise LookupError(f"the call names node {i * 8 + bit}, which was not told")
                    nodes.append(node)
        return nodes

    def apply(self, objects):
        """Takes changes in. The error says what makes no sense; the mirror is of no use afterwards."""
        take = {
            "node": self._take_node, "node_gone": self._take_node_gone, "pod": self._take_pod,
            "pod_gone": self._take_pod_gone, "placed": self._take_placed, "unplaced": self._take_unplaced,
            "object": self._take_object, "object_gone": self._take_object_gone, "nominated": self._take_nominated,
            "image": self._take_image,
        }
        with self._lock:
            for change in objects.changes:
                kind = change.WhichOneof("change")
                if kind in take:  # otherwise it is of a later minor version
                    take[kind](getattr(change, kind))
            self.complete = self.complete or objects.complete

    def _take_node(self, told):
        if told.id >= _MOST_NODES:
            raise ValueError(f"node {told.name} cannot have the number {told.id}")
        while told.id >= len(self._nodes):
            self._nodes.append(None)
        before = self._nodes[told.id]
        if before is not None and before.name != told.name:
            raise ValueError(f"node {told.name} cannot have the number {told.id}, which is that of {before.name}")
        self._nodes[told.id] = new_node(told, {} if before is None else before._pods)
        self._by_name[told.name] = told.id

    def _take_node_gone(self, number):
        node = self.node_by_id(number)
        if node is None:
            raise ValueError(f"node {number} goes, but was not there")
        for pod in node._pods:
            self._placed.pop(pod, None)
        self._nodes[number] = None
        self._by_name.pop(node.name, None)

    def _take_pod(self, told):
        pod = Pod(told)
        self._pods[pod.id] = pod
        self._by_uid[pod.uid] = pod.id
        number = self._placed.get(pod.id)
        if number is not None:
            self._nodes[number] = self._nodes[number].with_pod(pod)

    def _take_pod_gone(self, number):
        self._take_unplaced(number)
        self._nominated.pop(number, None)
        pod = self._pods.pop(number, None)
        if pod is not None and self._by_uid.get(pod.uid) == number:
            del self._by_uid[pod.uid]

    def _take_placed(self, told):
        pod = self._pods.get(told.pod)
        if pod is None or self.node_by_id(told.node) is None:
            raise ValueError(f"pod {told.pod} comes to node {told.node}, one of which is unknown")
        self._take_unplaced(told.pod)
        self._placed[told.pod] = told.node
        self._nodes[told.node] = self._nodes[told.node].with_pod(pod)

    def _take_unplaced(self, number):
        node = self._placed.pop(number, None)
        if node is not None:
            self._nodes[node] = self._nodes[node].without_pod(number)

    def _take_object(self, told):
        self._objects.setdefault(told.kind, {})[told.namespace, told.name] = Object(told)

    def _take_object_gone(self, told):
        self._objects.get(told.kind, {}).pop((told.namespace, told.name), None)

    def _take_nominated(self, told):
        if told.node:
            self._nominated[told.pod] = told.node
        else:
            self._nominated.pop(told.pod, None)

    def _take_image(self, told):
        nodes = told.history[-1].nodes if told.history else 0
        self._images[told.name] = Image(told.name, told.size_bytes, nodes)


def node_set(nodes):
    bits = bytearray()
    for node in nodes:
        if node.id // 8 >= len(bits):
            bits.extend(bytes(node.id // 8 + 1 - len(bits)))
        bits[node.id // 8] |= 1 << node.id % 8
    return pb.NodeSet(bits=bytes(bits))
