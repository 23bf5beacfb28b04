# SPDX-License-Identifier: Apache-2.0
"""Nodes, pods and other objects, as they were at one moment."""
import collections
import json

from .contract import pb

# Names an object: ObjectRef("PersistentVolumeClaim", "default", "data").
ObjectRef = collections.namedtuple("ObjectRef", ["kind", "namespace", "name"])


class _Document:
    """JSON that is read when somebody asks."""

    __slots__ = ("_read", "text")

    def __init__(self, text):
        self.text = text
        self._read = None

    def read(self):
        if self._read is None:
            self._read = json.loads(self.text) if self.text else {}
        return self._read


class _Object:
    __slots__ = ("_document",)

    def __deepcopy__(self, _memo):
        return self  # it does not change

    @property
    def json(self):
        """The whole object, as dicts and lists; not to be changed."""
        return self._document.read()

    @property
    def metadata(self):
        return self.json.get("metadata") or {}

    @property
    def labels(self):
        return self.metadata.get("labels") or {}

    @property
    def annotations(self):
        return self.metadata.get("annotations") or {}


class Node(_Object):
    """A node with the pods on it. Not changed any more: it can be kept."""

    __slots__ = ("_pods", "id", "name")

    def __init__(self, number, name, document, pods):
        self.id = number  # small; used again when the node is gone
        self.name = name
        self._document = document
        self._pods = pods

    @classmethod
    def of(cls, document, pods=()):
        """Makes a node of its object, with these pods on it: for tests of plugins."""
        name = (document.get("metadata") or {}).get("name", "")
        return cls(0, name, _Document(json.dumps(document)), {i: pod for i, pod in enumerate(pods)})

    @property
    def pods(self):
        """Those included that the scheduler has just placed there; not to be changed."""
        return list(self._pods.values())

    @property
    def spec(self):
        return self.json.get("spec") or {}

    @property
    def allocatable(self):
        """Resources by name, as text: see quantity()."""
        return (self.json.get("status") or {}).get("allocatable") or {}

    @property
    def capacity(self):
        return (self.json.get("status") or {}).get("capacity") or {}

    @property
    def taints(self):
        return self.spec.get("taints") or []

    def with_pod(self, pod):
        return Node(self.id, self.name, self._document, {**self._pods, pod.id: pod})

    def without_pod(self, number):
        return Node(self.id, self.name, self._document, {k: v for k, v in self._pods.items() if k != number})

    def __repr__(self):
        return f"Node({self.name})"


class Pod(_Object):
    """A pod. Not changed any more: it can be kept."""

    __slots__ = ("class_id", "id", "name", "namespace", "uid")

    @classmethod
    def of(cls, document):
        """Makes a pod of its object: for tests of plugins."""
        meta = document.get("metadata") or {}
        return cls(pb.Pod(uid=meta.get("uid", ""), namespace=meta.get("namespace", ""), name=meta.get("name", ""),
                          document=json.dumps(document).encode()))

    def __init__(self, told):
        self.id = told.id  # never used again
        self.uid = told.uid
        self.namespace = told.namespace
        self.name = told.name
        self.class_id = told.class_id  # the same for pods with equal namespaces, labels and specs; 0: not known yet
        self._document = _Document(told.document)

    @property
    def key(self):
        return f"{self.namespace}/{self.name}"

    @property
    def spec(self):
        return self.json.get("spec") or {}

    @property
    def priority(self):
        return self.spec.get("priority") or 0

    def __repr__(self):
        return f"Pod({self.key})"


class Object(_Object):
    """An object of any kind."""

    __slots__ = ("kind", "name", "namespace")

    def __init__(self, told):
        self.kind = told.kind
        self.namespace = told.namespace
        self.name = told.name
        self._document = _Document(told.document)

    def __repr__(self):
        return f"{self.kind}({self.namespace}/{self.name})"


def new_node(told, pods):
    return Node(told.id, told.name, _Document(told.document), pods)
