# SPDX-License-Identifier: Apache-2.0
"""The scheduler's end of a session, without gRPC."""
import json
import queue
import unittest

from berth_plugin.contract import pb
from berth_plugin.session import Session

A_MINUTE = 60


def node(number, name):
    document = {"metadata": {"name": name, "labels": {"name": name}},
                "status": {"allocatable": {"cpu": "1500m", "memory": "2Gi", "pods": "110"}}}
    return pb.Change(node=pb.Node(id=number, name=name, document=json.dumps(document).encode()))


def pod(number, name):
    document = {"metadata": {"name": name}, "spec": {"priority": number}}
    return pb.Change(pod=pb.Pod(id=number, uid="uid-" + name, namespace="default", name=name,
                                document=json.dumps(document).encode()))


def placed(number, node_number):
    return pb.Change(placed=pb.Placed(pod=number, node=node_number))


class SessionTest(unittest.TestCase):
    def open(self, plugin):
        self.sent = queue.Queue()
        self.next_call = 0
        self.session = Session(plugin, self.sent.put)
        self.addCleanup(self.session.close)

    def greet(self, **hello):
        self.session.take(pb.SchedulerMessage(hello=pb.Hello(**{"major": 1, **hello})))
        return self.receive().welcome

    def open_greeted(self, plugin):
        """In a cluster of some nodes and pods: pod 1 is on node 0, pod 2 waits."""
        self.open(plugin)
        self.assertEqual(self.greet().refusal, "")
        self.tell(node(0, "a"), node(1, "b"), node(9, "c"), pod(1, "one"), pod(2, "two"), placed(1, 0))

    def tell(self, *changes):
        self.session.take(pb.SchedulerMessage(objects=pb.Objects(changes=changes, complete=True)))

    def note(self, **note):
        self.session.take(pb.SchedulerMessage(note=pb.Note(**note)))

    def call(self, cycle=0, timeout_micros=3_600_000_000, **step):
        self.next_call += 1
        call = pb.Call(id=self.next_call, cycle=cycle, timeout_micros=timeout_micros, **step)
        self.session.take(pb.SchedulerMessage(call=call))
        return self.next_call

    def ask(self, **call):
        number = self.call(**call)
        answer = self.receive().answer
        self.assertEqual(answer.id, number)
        return answer

    def receive(self):
        return self.sent.get(timeout=A_MINUTE)
