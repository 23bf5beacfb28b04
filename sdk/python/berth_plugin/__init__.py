# SPDX-License-Identifier: Apache-2.0
"""Plugins of the Berth scheduler in Python.

A plugin is a class with some of the methods of Plugin, which are named after the scheduler's extension points:

    import berth_plugin

    class OnlyFast(berth_plugin.Plugin):
        def filter(self, cycle, pod, node):
            if node.labels.get("disk") != "fast":
                return berth_plugin.unschedulable("node(s) had slow disks")

    if __name__ == "__main__":
        berth_plugin.serve(OnlyFast)

What the scheduler knows of the cluster is mirrored in `session.cluster`.
"""
from .binding import Canceled, Refused
from .cluster import Cluster
from .cycle import Cycle
from .objects import Node, Object, ObjectRef, Pod
from .plugin import ANYTHING, CLASS_AND_NODE, CLASS_AND_NODE_OBJECT, Actions, Hypothesis, Nomination, Only, Permit
from .plugin import Plugin, Registration
from .quantity import milli, quantity
from .server import Server, serve
from .session import Session
from .status import Code, Status, error, pending, skip, unresolvable, unschedulable, wait

__all__ = [
    "ANYTHING", "Actions", "CLASS_AND_NODE", "CLASS_AND_NODE_OBJECT", "Canceled", "Cluster", "Code", "Cycle",
    "Hypothesis", "Node", "Nomination", "Object", "ObjectRef", "Only", "Permit", "Plugin", "Pod", "Refused",
    "Registration", "Server", "Session", "Status", "error", "milli", "pending", "quantity", "serve", "skip",
    "unresolvable", "unschedulable", "wait",
]
