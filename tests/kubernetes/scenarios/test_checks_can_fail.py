# SPDX-License-Identifier: Apache-2.0
"""Scenarios fail with a scheduler that does not do its work."""
import os
import subprocess
import unittest

from harness.pod_history import PodHistory
from harness.programs import HERE


class ChecksCanFail(unittest.TestCase):
    def outcome(self, without, *scenarios):
        """The last line of a run with a kube-scheduler that lacks plugins."""
        env = {**os.environ, "BERTH_SCHEDULER": str(HERE / "harness/broken_scheduler.py"), "BERTH_BROKEN_WITHOUT": without}
        done = subprocess.run([str(HERE / "run"), "--ci", "--scenarios", *scenarios], env=env, capture_output=True, text=True,
                              check=False)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        return done.stdout.splitlines()[-1]

    def test_a_play_notices_a_missing_filter(self):
        self.assertEqual(self.outcome("TaintToleration", "test_reasons_of_many_nodes", "test_no_nodes"), "1 passed, 1 failed")

    def test_a_play_notices_that_nothing_is_preempted(self):
        self.assertEqual(self.outcome("DefaultPreemption", "test_preemption_that_does_not_help", "test_gates"),
                         "1 passed, 1 failed")

    def test_the_history_notices_a_pod_that_moves(self):
        class Moving:
            @staticmethod
            def watch(*_):
                for node in (None, "a", "a", "b"):
                    yield "MODIFIED", {"metadata": {"uid": "1", "name": "pod"}, "spec": {"nodeName": node} if node else {}}
        history = PodHistory(Moving)
        history.stop()
        self.assertEqual(history.violations, ["pod moved from a to b"])
