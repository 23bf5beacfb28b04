#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is made of the figures, without a cluster."""
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tests/kubernetes")]

from chart import write_chart  # noqa: E402
from summary import summary, table  # noqa: E402
from workloads import WORKLOADS  # noqa: E402


def usage(scheduler, machine=None):
    return {"seconds": 10.0, "cpu": {"scheduler": scheduler}, "machine_cpu": scheduler if machine is None else machine}


def run(peer, workload="basic", pods_per_second=100.0, cpu=10.0, turn=0, **more):
    stage = {"pods": 1000, "bound": 1000, "ready": 1.0, "ready_cpu": 0.5, "first_binding": 1.1, "last_binding": 9.0,
             "pods_per_second": pods_per_second, "usage": usage(cpu), "latency_ms": {"p50": 5.0, "p99": 20.0}}
    return {"nodes": 5000, "workload": workload, "title": workload, "peer": peer, "round": turn, "counts": {"total": 10000},
            "drain": stage, "burst": stage, "steady": stage, "memory": {"rss": 100e6, "peak": 120e6}, "idle": usage(0.02), **more}


class FiguresTest(unittest.TestCase):
    def test_a_ratio_above_one_is_in_favour_of_berth(self):
        row, = summary([run("kube-scheduler"), run("berth", pods_per_second=400.0, cpu=2.0)])
        self.assertEqual(row["figures"]["drain"], {"kube-scheduler": 100.0, "berth": 400.0, "ratio": 4.0})
        self.assertEqual(row["figures"]["cpu"], {"kube-scheduler": 10.0, "berth": 2.0, "ratio": 5.0})
        self.assertEqual(row["more"]["idle"]["berth"], 2.0)

    def test_rounds_are_one_row_with_their_median(self):
        row, = summary([run("berth", pods_per_second=value, turn=turn) for turn, value in enumerate((100.0, 900.0, 300.0))])
        self.assertEqual(row["figures"]["drain"], {"kube-scheduler": None, "berth": 300.0, "ratio": None})

    def test_a_stage_that_failed_has_no_figures(self):
        broken = run("berth")
        broken["burst"] = {**broken["burst"], "error": "7 of 1000 pods were bound"}
        row, = summary([run("kube-scheduler"), {**broken, "error": "burst: 7 of 1000 pods were bound"}])
        self.assertIsNone(row["figures"]["live"]["berth"])
        self.assertEqual(row["figures"]["drain"]["berth"], 100.0)
        self.assertIn("basic: berth: burst: 7 of 1000", table([row]))

    def test_the_table_marks_what_was_disturbed(self):
        disturbed = run("berth", "affinity")
        disturbed["drain"] = {**disturbed["drain"], "usage": usage(10.0, 15.0)}
        text = table(summary([run("kube-scheduler"), run("berth"), run("kube-scheduler", "affinity"), disturbed]))
        self.assertIn("| affinity * ", text)
        self.assertIn("| basic ", text)
        self.assertNotIn("| basic * ", text)

    def test_the_chart_is_xml_and_shows_every_workload(self):
        runs = [run(peer, workload.name) for workload in WORKLOADS for peer in ("kube-scheduler", "berth")]
        report = {"summary": summary(runs), "environment": {"cores": 2, "processor": "A & B", "date": "2026-01-01"}}
        with tempfile.TemporaryDirectory() as folder:
            write_chart(report, Path(folder) / "img/chart.svg")
            texts = [node.text for node in xml.parse(Path(folder) / "img/chart.svg").iter() if node.tag.endswith("text")]
        for workload in WORKLOADS:
            self.assertIn(workload.name, texts)


class WorkloadsTest(unittest.TestCase):
    def test_pods_fit_on_nodes_of_every_size(self):
        for workload in WORKLOADS:
            for nodes in (50, 1000, 5000):
                for quick in (False, True):
                    counts = workload.counts(nodes, quick)
                    with self.subTest(workload.name, nodes=nodes, quick=quick):
                        self.assertLessEqual(counts.total - counts.placed, nodes * workload.room)
                        self.assertGreaterEqual(min(counts.waiting, counts.burst, counts.steady), 2)

    def test_basic_ends_with_ten_thousand_pods(self):
        basic, = (workload for workload in WORKLOADS if workload.name == "basic")
        self.assertEqual(basic.counts(5000, quick=False).total, 10000)

    def test_distinct_pods_are_distinct(self):
        distinct, = (workload for workload in WORKLOADS if workload.name == "distinct")
        pods = [distinct.pod(i, f"pod-{i}", "default", 5000) for i in range(9000)]
        requests = {str(pod["spec"]["containers"][0]["resources"]) for pod in pods}
        self.assertEqual(len(requests), 9000)


if __name__ == "__main__":
    unittest.main()
