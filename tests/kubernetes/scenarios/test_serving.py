# SPDX-License-Identifier: Apache-2.0
"""What the scheduler serves, to whom, and to a real Prometheus."""
import json
import shutil
import urllib.parse

from harness.control_plane import DIRECTLY, SCHEDULER_TOKEN
from harness.objects import pod
from harness.programs import ROOT, Program, free_ports
from harness.scenario import Scenario, short
from harness.scheduler import configuration
from harness.waiting import wait_until


class Serving(Scenario):
    control_plane_options = {"rbac": True, "users": {"scraper-token": ("scraper", []), "nobody-token": ("nobody", [])}}

    def setUp(self):
        super().setUp()
        self.api.create("clusterroles", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "scraper"},
            "rules": [{"nonResourceURLs": ["/metrics", "/metrics/resources"], "verbs": ["get"]}]})
        self.api.create("clusterrolebindings", {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "scraper"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "scraper"},
            "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "scraper"}]})
        self.make_nodes(1)
        kubeconfig = self.plane.kubeconfig("scheduler.kubeconfig", SCHEDULER_TOKEN)
        self.running = self.start_scheduler(kubeconfig=kubeconfig, config=configuration(kubeconfig))
        self.api.create("pods", pod("pod"))
        self.wait_bound(["pod"])

    @short
    def test_who_may_see_what(self):
        def code_of(path, token=None):
            return wait_until(lambda: self.running.answer(path, token)[0], f"an answer to {path}")
        for path in ("/healthz", "/livez", "/readyz"):
            self.assertEqual(code_of(path), 200, path)
        for token, code in (("scraper-token", 200), ("nobody-token", 403), ("no-token-of-anybody", 401), (None, 403)):
            self.assertEqual(code_of("/metrics", token), code, token)
        self.assertEqual(code_of("/configz", "scraper-token"), 403)
        self.assertEqual(code_of("/configz", "admin-token"), 200)
        metrics = self.running.answer("/metrics", "scraper-token")[1]
        self.assertRegex(metrics, r'scheduler_schedule_attempts_total\{(?=[^}]*profile="default-scheduler")'
                                  r'(?=[^}]*result="scheduled")[^}]*\} 1')
        for name in ("scheduler_pending_pods{", "scheduler_scheduling_attempt_duration_seconds_bucket{", "kubernetes_build_info{"):
            self.assertIn(name, metrics)

    def start_prometheus(self):
        self.assertTrue(shutil.which("prometheus"), "install Debian's package prometheus")
        folder = self.scratch / "prometheus"
        folder.mkdir()
        (folder / "token").write_text("scraper-token")
        rules = [str(path) for path in sorted((ROOT / "deploy").rglob("*.y*ml")) if "\ngroups:" in "\n" + path.read_text()]
        (folder / "prometheus.yml").write_text(json.dumps({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"}, "rule_files": rules,
            "scrape_configs": [{
                "job_name": "kube-scheduler", "scheme": "https", "tls_config": {"insecure_skip_verify": True},
                "authorization": {"credentials_file": str(folder / "token")},
                "static_configs": [{"targets": [f"127.0.0.1:{self.running.port}"]}]}]}))
        port, = free_ports(1)
        server = Program(["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                          f"--web.listen-address=127.0.0.1:{port}"], folder / "prometheus.log")
        self.addCleanup(server.kill)

        def ask(path, **query):
            try:
                url = f"http://127.0.0.1:{port}{path}?{urllib.parse.urlencode(query)}"
                with DIRECTLY.open(url, timeout=5) as answer:
                    return json.load(answer)["data"]
            except OSError:
                return None
        wait_until(lambda: ask("/api/v1/status/runtimeinfo"), lambda: f"Prometheus\n{server.log_tail()}")
        return ask, rules

    def test_prometheus_scrapes_it(self):
        ask, rules = self.start_prometheus()

        def value(query):
            found = (ask("/api/v1/query", query=query) or {}).get("result")
            return found[0]["value"][1] if found else None
        wait_until(lambda: value('up{job="kube-scheduler"}') == "1", lambda: f"a scrape: {ask('/api/v1/targets')}")
        scheduled = 'scheduler_schedule_attempts_total{result="scheduled"}'
        wait_until(lambda: value(scheduled) == "1", "the pod to be counted")
        groups = ask("/api/v1/rules")["groups"]
        self.assertEqual(len({group["file"] for group in groups}), len(rules), "files with rules")
        bad = [rule["name"] for group in groups for rule in group["rules"] if rule.get("lastError")]
        self.assertEqual(bad, [], "rules that cannot be evaluated")
