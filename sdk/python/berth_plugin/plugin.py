# SPDX-License-Identifier: Apache-2.0
"""What a plugin is made of."""
import collections
import dataclasses
import enum
from typing import Callable, Optional

from .contract import pb

# What verdicts of pre_filter, filter and score follow from. The less, the more of them are remembered and not asked for
# again.
ANYTHING = pb.ANYTHING  # every cycle asks
CLASS_AND_NODE = pb.CLASS_AND_NODE  # the pod's class, and the node with the pods on it
CLASS_AND_NODE_OBJECT = pb.CLASS_AND_NODE_OBJECT  # the pod's class and the node's own object


class Actions(enum.IntFlag):
    """What may happen to an object."""

    ADD = 1
    DELETE = 2
    UPDATE_NODE_ALLOCATABLE = 1 << 2
    UPDATE_NODE_LABEL = 1 << 3
    UPDATE_NODE_TAINT = 1 << 4
    UPDATE_NODE_CONDITION = 1 << 5
    UPDATE_NODE_ANNOTATION = 1 << 6
    UPDATE_NODE_DECLARED_FEATURE = 1 << 7
    UPDATE_POD_LABEL = 1 << 8
    UPDATE_POD_SCALE_DOWN = 1 << 9
    UPDATE_POD_TOLERATION = 1 << 10
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = 1 << 11
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = 1 << 12
    UPDATE = 0x1FFC
    ALL = 0x1FFF


@dataclasses.dataclass
class Registration:
    """Changes of the cluster after which pods that were rejected may be tried again."""

    resource: str  # "Node", "Pod", "PersistentVolumeClaim", "*", or another kind as "Tenant.example.com"
    actions: int = Actions.ALL
    # hint(pod, before, after): whether the change could help this pod; None: it always could. `before` is None for an
    # object that is new, `after` for one that is gone.
    hint: Optional[Callable] = None
    by_class: bool = False  # the hint says the same for all pods of a class


# From pre_filter: only the nodes with these names are worth looking at.
Only = collections.namedtuple("Only", ["names"])
# From permit, with wait(): for how many seconds at most.
Permit = collections.namedtuple("Permit", ["status", "timeout"])
# A node as it would be: changes are pairs of a pod and whether it is added, in order.
Hypothesis = collections.namedtuple("Hypothesis", ["node", "changes"])


@dataclasses.dataclass
class Nomination:
    """What post_filter brings about."""

    node: Optional[str] = None  # replaces what the pod was promised before; "": nothing any more; None: that stays
    victims: list = dataclasses.field(default_factory=list)  # pods on that node that the scheduler is to evict
    status: object = None
    tried_preemption: bool = False  # for the scheduler's metrics


class Plugin:
    """The base of plugins: a subclass serves the points whose methods it has.

    Steps are called one at a time for each session, on a cluster that does not change meanwhile; they should be quick,
    since the scheduler waits. pre_bind, bind and post_bind run on threads of their own and may block. An exception is
    told to the scheduler as an error of the step. Where a Status is expected, None is success.
    """

    kinds = ()  # of objects that session.cluster has besides nodes and pods: "Service", "Tenant.example.com"
    images = False  # whether it has container images
    dependence = ANYTHING
    name = None  # of the program, for logs; None: the class's

    def __init__(self, session):
        """One for each session. An exception refuses the session, with its text as the reason."""
        self.session = session

    def events_to_register(self):
        """A list of Registrations, or None: any change that upstream would take for a reason by default."""
        return None

    def pre_enqueue(self, pod, preempting):
        """Keeps pods out of the queue: a Status. preempting: the pod's victims are still on their way out."""

    def sort_key(self, pod):
        """Orders the queue, ascending: a list of numbers, texts, QUEUED and ATTEMPTS."""

    def pre_filter(self, cycle, pod):
        """Looks at the pod before its nodes are filtered: a Status, or Only. skip() leaves filter out in this cycle."""

    def add_pod(self, cycle, pod, added, node):
        """Keeps up what pre_filter remembered while the scheduler considers a node with another pod: a Status."""

    def remove_pod(self, cycle, pod, removed, node):
        """Likewise, for a node without one of its pods."""

    def filter(self, cycle, pod, node):
        """Whether the pod can go to the node: a Status."""

    def filter_all(self, cycle, pod, nodes):
        """The same for many nodes at once: a list of Statuses. For plugins that are quicker so."""
        return [self.filter(cycle, pod, node) for node in nodes]

    def post_filter(self, cycle, pod, failure):
        """When no node passes: a Nomination, or a Status."""

    def pre_score(self, cycle, pod, nodes):
        """Looks at the nodes that passed before they are scored: a Status. skip(): the plugin has no preference."""

    def score(self, cycle, pod, node):
        """How good the node is: a whole number between 0 and 100, unless there is normalize_score, too."""

    def score_all(self, cycle, pod, nodes):
        """The same for many nodes at once: a list of numbers."""
        return [self.score(cycle, pod, node) for node in nodes]

    def normalize_score(self, cycle, pod, nodes, scores):
        """The scores, which lie parallel to the nodes, as values between 0 and 100."""

    def reserve(self, cycle, pod, node):
        """The pod has taken the node: a Status."""

    def unreserve(self, cycle, pod, node):
        """The pod has lost the node again, whether or not reserve was told. The node is None when it has gone."""

    def permit(self, cycle, pod, node):
        """The last word before the pod is bound: a Status, or Permit(wait(), seconds)."""

    def pre_bind_pre_flight(self, cycle, pod, node):
        """Before pre_bind: a Status, skip() if there is nothing to do; or a pair of it and whether others may work."""

    def pre_bind(self, binding):
        """Prepares the node for the pod: a Status. May block."""

    def bind(self, binding):
        """Binds the pod, mostly by binding.bind(), or says skip(): a Status. May block."""

    def post_bind(self, cycle, pod, node_name):
        """The pod is bound. May block."""


# Parts of a sort key: when the pod came into the queue, and how often it was tried.
Plugin.QUEUED = pb.SortPart(queued=True)
Plugin.ATTEMPTS = pb.SortPart(attempts=True)

_METHODS = {
    pb.PRE_ENQUEUE: ["pre_enqueue"],
    pb.QUEUE_SORT: ["sort_key"],
    pb.PRE_FILTER: ["pre_filter"],
    pb.FILTER: ["filter", "filter_all"],
    pb.POST_FILTER: ["post_filter"],
    pb.PRE_SCORE: ["pre_score"],
    pb.SCORE: ["score", "score_all"],
    pb.RESERVE: ["reserve", "unreserve"],
    pb.PERMIT: ["permit"],
    pb.PRE_BIND: ["pre_bind"],
    pb.BIND: ["bind"],
    pb.POST_BIND: ["post_bind"],
}


def has(plugin, *methods):
    """Whether the plugin has one of these methods of its own."""
    return any(getattr(type(plugin), name, None) not in (None, getattr(Plugin, name)) for name in methods)


def points_of(plugin):
    return [point for point, methods in _METHODS.items() if has(plugin, *methods)]
