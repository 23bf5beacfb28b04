#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks the sample extender over HTTP, and lets Berth read its configurations.

Usage: sample_extender_test.py SAMPLE_EXTENDER BERTH
"""
import http.client
import json
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
POD = {"metadata": {"name": "p", "namespace": "shop", "uid": "u"}, "spec": {"containers": []}}
NAMES = [f"n{i}" for i in range(40)]
NODES = [{"metadata": {"name": name}, "spec": {"podCIDR": "10.0.0.0/24"}} for name in NAMES]
WHOLE = {"Pod": POD, "Nodes": {"metadata": {}, "items": NODES}, "NodeNames": None}
NAMED = {"Pod": POD, "Nodes": None, "NodeNames": NAMES}


class Extender:
    """The program with a connection to it."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([EXTENDER, "--port", "0", *arguments], stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(" ", 1)[1])
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()
        self.process.kill()
        self.process.communicate()

    def send(self, method, path, body):
        self.connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def ask(self, verb, question):
        status, body = self.send("POST", "/" + verb, json.dumps(question))
        assert status == 200, body
        return json.loads(body)


class Program(unittest.TestCase):
    def test_filter_divides_whole_nodes_by_chance(self):
        with Extender("--seed=1") as extender:
            answer = extender.ask("filter", WHOLE)
        passed = answer["Nodes"]["items"]
        self.assertTrue(0 < len(passed) < len(NODES))
        for node in passed:
            self.assertIn(node, NODES)
        failed = [name for name in NAMES if name not in [node["metadata"]["name"] for node in passed]]
        self.assertEqual(answer["FailedNodes"], {name: "Well, you're not lucky" for name in failed})
        self.assertEqual(answer["Error"], "")

    def test_filter_answers_with_names_when_asked_with_names(self):
        with Extender("--seed=1") as extender:
            answer = extender.ask("filter", NAMED)
        self.assertTrue(0 < len(answer["NodeNames"]) < len(NAMES))
        self.assertEqual(sorted(answer["NodeNames"] + list(answer["FailedNodes"])), sorted(NAMES))
        self.assertNotIn("Nodes", answer)

    def test_prioritize_scores_every_node_from_0_to_10(self):
        with Extender("--seed=1") as extender:
            for question in (WHOLE, NAMED):
                scores = extender.ask("prioritize", question)
                self.assertEqual([score["Host"] for score in scores], NAMES)
                self.assertLessEqual({score["Score"] for score in scores}, set(range(11)))
                self.assertGreater(len({score["Score"] for score in scores}), 1)

    def test_the_seed_repeats_everything(self):
        def told(*arguments):
            with Extender(*arguments) as extender:
                return [extender.ask(*each) for each in (("filter", NAMED), ("prioritize", NAMED), ("filter", WHOLE))]

        self.assertEqual(told("--seed", "7"), told("--seed", "7"))
        self.assertNotEqual(told("--seed", "7"), told("--seed", "8"))
        self.assertNotEqual(told(), told())

    def test_the_readme_shows_what_it_says(self):
        readme = (FOLDER / "README.md").read_text()
        with Extender("--seed=2") as extender:
            for verb in ("filter", "prioritize"):
                question = '{"Pod":{"metadata":{"namespace":"default","name":"web"}},"NodeNames":["n1","n2"]}'
                self.assertIn(f"-d '{question}' localhost:8888/{verb}\n", readme)
                self.assertIn(extender.send("POST", "/" + verb, question)[1].decode() + "\n", readme)

    def test_decisions_are_printed(self):
        with Extender("--seed=1") as extender:
            extender.ask("filter", {**NAMED, "NodeNames": ["n1"]})
            extender.ask("prioritize", {**NAMED, "NodeNames": ["n1"]})
            self.assertRegex(extender.process.stdout.readline(), r"^filter pod: shop/p, node: n1, (not )?lucky$")
            self.assertRegex(extender.process.stdout.readline(), r"^prioritize pod: shop/p, node: n1, score: \d+$")

    def test_what_makes_no_sense_is_refused_and_the_connection_kept(self):
        with Extender() as extender:
            for body in ("", "{", "[]", "{}", '{"Pod": {}}', '{"Pod": {}, "Nodes": null}', '{"Pod": {}, "NodeNames": 1}'):
                self.assertEqual(extender.send("POST", "/filter", body)[0], 400, body)
            self.assertEqual(extender.send("POST", "/bind", "{}")[0], 404)
            self.assertEqual(extender.send("GET", "/filter", None)[0], 405)
            self.assertEqual(extender.ask("filter", {**NAMED, "NodeNames": []})["NodeNames"], [])
            self.assertIsNotNone(extender.connection.sock, "the connection was not kept")

    def test_it_ends_when_asked_to(self):
        with Extender() as extender:
            extender.process.send_signal(signal.SIGTERM)
            self.assertEqual(extender.process.wait(60), 0)

    def test_a_port_that_is_taken_is_named(self):
        with Extender() as extender:
            second = subprocess.run([EXTENDER, "--port", str(extender.port)], capture_output=True, text=True, timeout=60)
        self.assertEqual(second.returncode, 1)
        self.assertIn(f"cannot listen on 127.0.0.1, port {extender.port}", second.stderr)

    def test_a_wrong_command_line_prints_the_usage(self):
        for arguments in (["--port", "x"], ["--port"], ["--seed", "-1"], ["--colour", "red"], ["--port", "70000"]):
            wrong = subprocess.run([EXTENDER, *arguments], capture_output=True, text=True, timeout=60)
            self.assertEqual(wrong.returncode, 2, arguments)
            self.assertIn("Usage: sample_extender", wrong.stderr)
        self.assertEqual(subprocess.run([EXTENDER, "--help"], capture_output=True, timeout=60).returncode, 0)


class Configurations(unittest.TestCase):
    def convert(self, file):
        run = subprocess.run([BERTH, "config", "convert", str(file)], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def check(self, file):
        run = subprocess.run([BERTH, "config", "check", str(file)], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def old_configuration(self, folder):
        """The old configuration with the policy where it is here."""
        text = (FOLDER / "scheduler-extender-config.yaml").read_text()
        there = "/etc/kubernetes/scheduler-extender-config/scheduler-extender-policy.json"
        self.assertIn(there, text)
        file = Path(folder) / "config.yaml"
        file.write_text(text.replace(there, str(FOLDER / "scheduler-extender-policy.json")))
        return file

    def test_each_can_be_used(self):
        self.check(FOLDER / "config.yaml")
        self.check(FOLDER / "scheduler-extender-policy.json")
        with tempfile.TemporaryDirectory() as folder:
            self.check(self.old_configuration(folder))

    def test_the_old_ones_mean_the_same_extender(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = [self.convert(self.old_configuration(folder)), self.convert(FOLDER / "scheduler-extender-policy.json")]
        for text in texts:
            for line in ("urlPrefix: http://localhost:8888/", "filterVerb: filter", "prioritizeVerb: prioritize",
                         "weight: 1", "httpTimeout: 1s"):
                self.assertIn(line, text)
        self.assertIn("schedulerName: scheduler-extender", texts[0])

    def test_the_config_map_holds_these_files(self):
        manifest = (FOLDER / "sample-extender.yaml").read_text()
        for name in ("config.yaml", "scheduler-extender-config.yaml", "scheduler-extender-policy.json"):
            lines = (FOLDER / name).read_text().splitlines(keepends=True)
            self.assertIn(f"  {name}: |\n" + "".join("    " + line for line in lines), manifest, name)


if __name__ == "__main__":
    EXTENDER, BERTH = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
