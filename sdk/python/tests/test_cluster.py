# SPDX-License-Identifier: Apache-2.0
import unittest

from berth_plugin import milli, quantity
from berth_plugin.cluster import Cluster
from berth_plugin.contract import pb
from harness import node, placed, pod


def told(cluster, *changes):
    cluster.apply(pb.Objects(changes=changes))


def pods_on(node):
    return sorted(pod.name for pod in node.pods)


class ClusterTest(unittest.TestCase):
    def test_follows_what_is_told(self):
        c = Cluster()
        told(c, node(0, "a"), node(3, "b"), pod(1, "one"), pod(2, "two"), placed(1, 0), placed(2, 0))
        self.assertEqual([each.name for each in c.nodes], ["a", "b"])
        self.assertIsNone(c.node_by_id(1))
        self.assertIsNone(c.node_by_id(99))
        before = c.node("a")
        self.assertEqual(pods_on(before), ["one", "two"])
        self.assertEqual((c.node_of(c.pod(1)).name, c.pod_by_uid("uid-two").id), ("a", 2))
        # A pod that moves, one that changes, and one that goes.
        told(c, placed(1, 3), pod(2, "renamed"))
        self.assertEqual((pods_on(c.node("a")), pods_on(c.node("b"))), (["renamed"], ["one"]))
        told(c, pb.Change(pod_gone=2), pb.Change(unplaced=1))
        self.assertEqual((pods_on(c.node("a")), pods_on(c.node("b")), len(c.pods)), ([], [], 1))
        self.assertIsNone(c.node_of(c.pod(1)))
        self.assertEqual(pods_on(before), ["one", "two"])
        # A node that changes keeps its pods; one that goes makes room for another.
        told(c, placed(1, 3), node(3, "b"))
        self.assertEqual(pods_on(c.node("b")), ["one"])
        told(c, pb.Change(node_gone=3), node(3, "other"))
        self.assertEqual(pods_on(c.node("other")), [])
        self.assertIsNone(c.node("b"))
        self.assertIsNone(c.node_of(c.pod(1)))
        told(c, pb.Change(nominated=pb.Nominated(pod=1, node="a")))
        self.assertEqual(c.nominated_node(c.pod(1)), "a")
        told(c, pb.Change(nominated=pb.Nominated(pod=1)))
        self.assertIsNone(c.nominated_node(c.pod(1)))

    def test_has_objects_of_other_kinds(self):
        c = Cluster()
        for name in ("one", "two"):
            told(c, pb.Change(object=pb.Object(kind="Service", namespace="default", name=name,
                                               document=b'{"metadata": {"labels": {"a": "b"}}}')))
        self.assertEqual(c.object("Service", "default", "one").labels, {"a": "b"})
        told(c, pb.Change(object_gone=pb.ObjectGone(kind="Service", namespace="default", name="one")))
        self.assertEqual([each.name for each in c.objects("Service")], ["two"])
        self.assertEqual(c.objects("Pod"), [])

    def test_has_images(self):
        c = Cluster()
        history = [pb.Image.Spread(cycle=1, nodes=1), pb.Image.Spread(cycle=4, nodes=3)]
        told(c, pb.Change(image=pb.Image(name="nginx", size_bytes=1000, history=history)))
        self.assertEqual(c.image("nginx"), ("nginx", 1000, 3))
        self.assertIsNone(c.image("other"))

    def test_refuses_what_makes_no_sense(self):
        for change in (placed(1, 5), placed(5, 0), node(1 << 30, "far"), node(0, "another"), pb.Change(node_gone=1)):
            c = Cluster()
            told(c, node(0, "a"), pod(1, "one"))
            with self.assertRaises(ValueError):
                told(c, change)


class QuantityTest(unittest.TestCase):
    def test_is_read_as_kubernetes_writes_it(self):
        for text, value in {"4": 4000, "500m": 500, "1.5": 1500, "0.1m": 1, "2k": 2_000_000, "1Ki": 1_024_000,
                            "1e3": 1_000_000, "-1": -1000, "100n": 1, "1E": 10**21}.items():
            self.assertEqual(milli(text), value, text)
        self.assertGreater(quantity("1Gi"), quantity("1G"))

    def test_anything_else_is_refused(self):
        for text in ("", "x", "1/2", "1Xi", "m", "1 Ki", "0x1", "1e9999"):
            with self.assertRaises(ValueError):
                quantity(text)


if __name__ == "__main__":
    unittest.main()
