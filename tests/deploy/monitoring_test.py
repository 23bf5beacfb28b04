#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dashboard and rules of deploy/monitoring/: valid, tested, and about metrics that exist."""
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from needs import cannot, pyyaml

yaml = pyyaml()
ROOT = Path(__file__).resolve().parent.parent.parent
RULES = ROOT / "deploy/monitoring/rules.yaml"
TESTS = ROOT / "tests/deploy/rules_test.yaml"
DASHBOARD = ROOT / "deploy/monitoring/dashboard.json"
PROMTOOL = shutil.which("promtool") or cannot("promtool is missing (Debian: prometheus)")

ROW = re.compile(r"^\| (`[^|]*`) \| (counter|gauge|histogram)[^|]*\| ([^|]*)\|")
# These are named in full in docs/metrics.md; the others begin with scheduler_.
IN_FULL = ("berth_", "kube_pod_", "kubernetes_", "leader_election_", "process_", "rest_client_")
# Labels that Prometheus or the type of the metric adds.
ALWAYS = {"job", "instance", "le"}
GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
KEYWORDS = {"and", "or", "unless", "bool", "offset"}
NAME = re.compile(r"[a-zA-Z_:][\w:]*")
# Strings, selectors and ranges are one token each.
TOKEN = re.compile(r'"[^"]*"|\{(?:[^}"]|"[^"]*")*\}|\[[^\]]*\]|[a-zA-Z_:][\w:]*|\d[\w.]*|\s+|.')


def known_metrics():
    """Name to (type, labels), as Prometheus sees them."""
    known = {}
    for line in (ROOT / "docs/metrics.md").read_text().splitlines():
        if row := ROW.match(line):
            for name in re.findall(r"`(\w+)`", row.group(1)):
                # What follows a colon are the values of a label.
                labels = set(re.findall(r"`(\w+)`", row.group(3).split(":")[0]))
                known[name if name.startswith(IN_FULL) else f"scheduler_{name}"] = (row.group(2), labels)
    for name, (kind, labels) in list(known.items()):
        if kind == "histogram":
            del known[name]
            known.update({f"{name}_{part}": ("counter", labels) for part in ("bucket", "sum", "count")})
    return known


def rules(kind):
    return [r for group in yaml.safe_load(RULES.read_text())["groups"] for r in group["rules"] if kind in r]


def panels():
    return json.loads(DASHBOARD.read_text())["panels"]


def panel_expressions():
    for panel in panels():
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"].replace("$__rate_interval", "5m").replace('"$job"', '".*"')


def uses(expression):
    """The metrics of an expression with the labels that their selectors name, and the labels it groups by."""
    tokens = [t for t in TOKEN.findall(expression) if not t.isspace() and not t.startswith("[")]
    metrics, grouped = [], set()
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else ""
        if token in GROUPING:
            grouped |= set(tokens[index + 2 : tokens.index(")", index)]) - {","}
        elif not NAME.fullmatch(token) or token in KEYWORDS or following == "(" or following in GROUPING:
            continue
        elif not in_grouping(tokens, index):
            selector = re.sub(r'"[^"]*"', "", following) if following.startswith("{") else ""
            metrics.append((token, set(re.findall(r"(\w+)\s*[=!]", selector))))
    return metrics, grouped


def in_grouping(tokens, index):
    before = tokens[:index]
    opened = len(before) - 1 - before[::-1].index("(") if "(" in before else 0
    return ")" not in before[opened:] and opened > 0 and before[opened - 1] in GROUPING


def problems(where, expression, known, recorded):
    found, grouped = uses(expression)
    if not found:
        yield f"{where}: no metric in {expression}"
    allowed = set(ALWAYS)
    for name, labels in found:
        if name in recorded:
            allowed |= recorded[name]
            continue
        if name not in known:
            yield f"{where}: there is no metric {name}"
            continue
        allowed |= known[name][1]
        for label in sorted(labels - known[name][1] - ALWAYS):
            yield f"{where}: {name} has no label {label}"
    for label in sorted(grouped - allowed):
        yield f"{where}: nothing in it has a label {label}"


def recorded_rules():
    return {rule["record"]: uses(rule["expr"])[1] for rule in rules("record")}


class NamesTest(unittest.TestCase):
    def all_problems(self, expressions):
        known, recorded = known_metrics(), recorded_rules()
        return [p for where, expression in expressions for p in problems(where, expression, known, recorded)]

    def test_rules_use_metrics_that_exist(self):
        self.assertEqual(self.all_problems((r.get("alert") or r["record"], r["expr"]) for r in rules("expr")), [])

    def test_the_dashboard_uses_metrics_that_exist(self):
        self.assertEqual(self.all_problems(panel_expressions()), [])

    def test_what_does_not_exist_is_noticed(self):
        for expression, complaint in (
            ("rate(scheduler_made_up_total[5m])", "there is no metric scheduler_made_up_total"),
            ('sum(scheduler_pending_pods{kind="active"}) > 1', "scheduler_pending_pods has no label kind"),
            ("sum by (made_up) (scheduler_pending_pods)", "nothing in it has a label made_up"),
            ("scheduler_pending_pods / scheduler_gone", "there is no metric scheduler_gone"),
            ("job:unheard:of > 1", "there is no metric job:unheard:of"),
            ("scheduler_pod_scheduling_attempts", "there is no metric scheduler_pod_scheduling_attempts"),
            ("1 + 1", "no metric"),
        ):
            self.assertIn(complaint, "\n".join(self.all_problems([("x", expression)])), expression)
        self.assertGreater(len(known_metrics()), 60)


class RulesTest(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promtool_accepts_them(self):
        self.promtool("check", "rules", "--lint-fatal", str(RULES))

    def test_they_fire_when_they_should(self):
        self.promtool("test", "rules", str(TESTS))

    def test_each_alert_is_tested_both_ways(self):
        fires, silent = set(), set()
        for test in yaml.safe_load(TESTS.read_text())["tests"]:
            for case in test["alert_rule_test"]:
                (fires if case.get("exp_alerts") else silent).add(case["alertname"])
        names = {rule["alert"] for rule in rules("alert")}
        self.assertEqual((fires, silent), (names, names))

    def test_each_alert_leads_to_its_section(self):
        guide = (ROOT / "docs/guides/alerts.md").read_text()
        sections = re.findall(r"^## (\w+)$", guide, re.MULTILINE)
        self.assertEqual(sections, [rule["alert"] for rule in rules("alert")])
        for rule in rules("alert"):
            self.assertEqual(rule["annotations"]["runbook"], f"docs/guides/alerts.md#{rule['alert'].lower()}")
            self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))

    def test_the_dashboard_asks_what_prometheus_understands(self):
        made = [{"record": f"panel:query:{n}", "expr": e} for n, (_, e) in enumerate(panel_expressions())]
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump({"groups": [{"name": "dashboard", "rules": made}]}, file)
            file.flush()
            self.promtool("check", "rules", file.name)


class DashboardTest(unittest.TestCase):
    def test_panels_have_their_own_place_and_number(self):
        taken, numbers = {}, [panel["id"] for panel in panels()]
        self.assertEqual(len(numbers), len(set(numbers)))
        for panel in panels():
            at = panel["gridPos"]
            self.assertLessEqual(at["x"] + at["w"], 24, panel["title"])
            for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
                self.assertNotIn(cell, taken, f"{panel['title']} lies over {taken.get(cell)}")
                taken[cell] = panel["title"]

    def test_every_panel_asks_for_the_job_that_was_chosen(self):
        for panel in panels():
            for target in panel.get("targets", []):
                self.assertIn('job=~"$job"', target["expr"], panel["title"])
                self.assertEqual(target["datasource"]["uid"], "${datasource}")


if __name__ == "__main__":
    unittest.main()
