#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""deploy/manifests/ in a real API server: every object is accepted, the rights are enough for a scheduler and no more.

Usage: api_server_test.py BERTH     BERTH is our program under the name kube-scheduler

What a scheduler needs is asked of kube-scheduler v1.36.4 and of BERTH. kube-apiserver, etcd, kubectl and kube-scheduler are taken from the folder that BERTH_KUBERNETES_BIN names, or that
tests/kubernetes/build.sh built them in. Everything listens on the loopback interface only.
"""
import argparse
import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from needs import cannot

ROOT = Path(__file__).resolve().parent.parent.parent
PROGRAMS = ("etcd", "kube-apiserver", "kubectl", "kube-scheduler")
# Whatever proxies the environment names, servers of this machine are asked directly, and whatever their certificates.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                       urllib.request.HTTPSHandler(context=ssl._create_unverified_context()))
OVERLAYS = {"second-scheduler": "berth-system", "shadow": "berth-shadow", "replace": "kube-system"}


def find_programs():
    folder = os.environ.get("BERTH_KUBERNETES_BIN")
    build = ROOT / "tests/kubernetes/build.sh"
    if not folder and build.exists():
        folder = subprocess.run([build, "--check"], capture_output=True, text=True).stdout.strip()
    found = {name: shutil.which(name, path=folder) for name in PROGRAMS} if folder else {}
    missing = [name for name in PROGRAMS if not found.get(name)]
    if missing:
        cannot(f"no {', '.join(missing)}: tests/kubernetes/build.sh builds them, BERTH_KUBERNETES_BIN names their folder")
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def until(what, condition, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited {seconds} s for {what}")


def fetch(url, token=None, method="GET", body=None):
    """The status and the body of an answer."""
    request = urllib.request.Request(url, method=method, data=body and json.dumps(body).encode())
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    if body:
        request.add_header("Content-Type", "application/json")
    try:
        with DIRECTLY.open(request, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()
    except OSError as trouble:
        return 0, str(trouble)


class ControlPlane:
    def __init__(self, programs):
        self.programs = programs
        self.folder = Path(tempfile.mkdtemp(prefix="berth-deploy-"))
        self.running = []

    def begin(self):
        programs, (client, peer, secure) = self.programs, (free_port(), free_port(), free_port())
        self.url = f"https://127.0.0.1:{secure}"
        self.token = "token-of-the-test"
        (self.folder / "tokens.csv").write_text(f'{self.token},admin,1,"system:masters"\n')
        key = self.folder / "accounts.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        self.start(
            "etcd", programs["etcd"], "--name=t", f"--data-dir={self.folder}/etcd", "--unsafe-no-fsync",
            f"--listen-client-urls=http://127.0.0.1:{client}", f"--advertise-client-urls=http://127.0.0.1:{client}",
            f"--listen-peer-urls=http://127.0.0.1:{peer}", f"--initial-advertise-peer-urls=http://127.0.0.1:{peer}",
            f"--initial-cluster=t=http://127.0.0.1:{peer}",
        )  # fmt: skip
        self.start(
            "kube-apiserver", programs["kube-apiserver"], f"--etcd-servers=http://127.0.0.1:{client}",
            "--bind-address=127.0.0.1", f"--secure-port={secure}", f"--cert-dir={self.folder}/certs",
            f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=RBAC", "--endpoint-reconciler-type=none",
            f"--service-account-issuer={self.url}", f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}", "--service-cluster-ip-range=10.0.0.0/24",
            "--disable-admission-plugins=TaintNodesByCondition",
        )  # fmt: skip
        until("the API server", lambda: fetch(f"{self.url}/readyz", self.token)[0] == 200)
        until("the critical priority classes", lambda: self.get("/apis/scheduling.k8s.io/v1/priorityclasses/system-cluster-critical"))
        until("kube-system", lambda: self.get("/api/v1/namespaces/kube-system"))

    def start(self, name, *command):
        with open(self.folder / f"{name}.log", "w") as log:
            self.running.append(subprocess.Popen([str(c) for c in command], stdout=log, stderr=subprocess.STDOUT))
        return self.running[-1]

    def stop(self):
        for process in reversed(self.running):
            process.kill()  # nothing that it keeps is needed again
            process.wait()
        shutil.rmtree(self.folder)

    def kubectl(self, *arguments, text=None):
        command = [self.programs["kubectl"], f"--server={self.url}", f"--token={self.token}", "--insecure-skip-tls-verify"]
        environment = {**os.environ, "KUBECONFIG": "/dev/null", "HOME": str(self.folder)}
        return subprocess.run([*command, *arguments], input=text, capture_output=True, text=True, env=environment)

    def get(self, path):
        status, body = fetch(self.url + path, self.token)
        return json.loads(body) if status == 200 else None

    def post(self, path, body):
        status, answer = fetch(self.url + path, self.token, "POST", body)
        if status not in (200, 201):
            raise AssertionError(f"POST {path}: {status} {answer}")
        return json.loads(answer)

    def may(self, user, verb, resource, namespace="default", name=""):
        """Whether the account may do that; resource is group/resource or group/resource/subresource."""
        group, kind, *rest = resource.split("/")
        asked = {"verb": verb, "group": group, "resource": kind, "subresource": "".join(rest), "namespace": namespace, "name": name}
        review = {
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": user, "resourceAttributes": asked},
        }  # fmt: skip
        return self.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]

    def token_of(self, namespace, account):
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
        return self.post(f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token", request)["status"]["token"]

    def kubeconfig_of(self, namespace, account):
        config = {
            "apiVersion": "v1", "kind": "Config", "current-context": "it",
            "clusters": [{"name": "it", "cluster": {"server": self.url, "insecure-skip-tls-verify": True}}],
            "users": [{"name": "it", "user": {"token": self.token_of(namespace, account)}}],
            "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
        }  # fmt: skip
        file = self.folder / f"{namespace}.kubeconfig"
        file.write_text(json.dumps(config))
        return file


class DeployTest(unittest.TestCase):
    schedulers = {}  # by name

    @classmethod
    def setUpClass(cls):
        cls.cluster = ControlPlane(PROGRAMS_FOUND)
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.begin()

    def manifests(self, overlay):
        return (ROOT / f"deploy/manifests/{overlay}.yaml").read_text()

    def apply(self, overlay, *arguments):
        done = self.cluster.kubectl("apply", "--server-side", "--validate=strict", "-f", "-", *arguments, text=self.manifests(overlay))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("Warning", done.stderr)
        return done.stdout

    def deployment(self, overlay):
        return self.cluster.get(f"/apis/apps/v1/namespaces/{OVERLAYS[overlay]}/deployments/berth-scheduler")

    def test_every_object_is_accepted(self):
        for overlay, namespace in OVERLAYS.items():
            self.apply(overlay)
            again = self.apply(overlay, "--dry-run=server")
            self.assertIn("deployment.apps/berth-scheduler serverside-applied", again)
            pod = self.deployment(overlay)["spec"]["template"]
            pod.update(apiVersion="v1", kind="Pod")
            pod["metadata"]["name"] = "of-the-template"
            done = self.cluster.kubectl("create", "-n", namespace, "--dry-run=server", "-o", "json", "-f", "-", text=json.dumps(pod))
            self.assertEqual(done.returncode, 0, f"{overlay}: {done.stderr}")
            self.assertEqual(json.loads(done.stdout)["spec"]["priority"], 2000000000)

    def test_pods_outside_the_strict_standard_are_refused_beside_it(self):
        self.apply("second-scheduler")
        pod = {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "loose"},
            "spec": {"serviceAccountName": "berth-scheduler", "containers": [{"name": "c", "image": "i"}]},
        }  # fmt: skip
        done = self.cluster.kubectl("create", "-n", "berth-system", "--dry-run=server", "-f", "-", text=json.dumps(pod))
        self.assertIn('violates PodSecurity "restricted', done.stderr)

    def test_rights_end_where_they_should(self):
        for overlay, namespace in OVERLAYS.items():
            self.apply(overlay)
            user = f"system:serviceaccount:{namespace}:berth-scheduler"
            lease = "kube-scheduler" if overlay == "replace" else "berth-scheduler"
            writes = overlay != "shadow"
            for allowed, verb, resource, *where in (
                (True, "list", "/nodes"),
                (True, "watch", "/pods"),
                (True, "watch", "storage.k8s.io/volumeattachments"),
                (True, "create", "authentication.k8s.io/tokenreviews", ""),
                (True, "create", "authorization.k8s.io/subjectaccessreviews", ""),
                (True, "get", "/configmaps", "kube-system", "extension-apiserver-authentication"),
                (writes, "create", "coordination.k8s.io/leases", namespace),
                (writes, "update", "coordination.k8s.io/leases", namespace, lease),
                (writes, "create", "/pods/binding"),
                (writes, "patch", "/pods/status"),
                (writes, "delete", "/pods"),
                (writes, "create", "events.k8s.io/events"),
                (writes, "update", "/persistentvolumes", ""),
                (False, "create", "/pods/eviction"),
                (False, "create", "/pods"),
                (False, "get", "/secrets"),
                (False, "update", "/nodes", ""),
                (False, "patch", "/nodes/status", ""),
                (False, "update", "coordination.k8s.io/leases", "kube-system", "kube-controller-manager"),
                (overlay == "replace", "update", "coordination.k8s.io/leases", "kube-system", "kube-scheduler"),
            ):
                self.assertEqual(self.cluster.may(user, verb, resource, *where), allowed, (overlay, verb, resource, where))

    def test_rights_are_enough_to_schedule_and_to_let_metrics_be_read(self):
        self.apply("second-scheduler")
        for program in self.schedulers:
            self.runs_as(program, "second-scheduler", "berth-scheduler", "berth-system", "berth-scheduler")

    def test_rights_are_enough_in_kube_schedulers_place(self):
        self.apply("replace")
        for program in self.schedulers:
            self.runs_as(program, "replace", "default-scheduler", "kube-system", "kube-scheduler")

    def test_berth_takes_over_when_kube_scheduler_ends_and_hands_back(self):
        self.apply("replace")
        leader = self.start("upstream", "replace", "kube-system")
        for successor in ("berth", "upstream"):
            holder = until("a leader", self.holder("kube-system", "kube-scheduler"))
            standby = self.start(successor, "replace", "kube-system")
            self.assertEqual(self.holder("kube-system", "kube-scheduler")(), holder, "who stands by leaves the lease alone")
            self.stop(leader[0], leader[2])
            until("another leader", lambda: self.holder("kube-system", "kube-scheduler")() not in ("", holder))
            self.places_a_pod(f"after-{successor}", "default-scheduler")
            leader = standby
        self.stop(leader[0], leader[2])

    def holder(self, namespace, lease):
        path = f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases/{lease}"
        return lambda: (self.cluster.get(path) or {}).get("spec", {}).get("holderIdentity", "")

    def test_a_shadow_decides_and_changes_nothing(self):
        self.apply("shadow")
        node, pod = self.node("node-shadow"), self.pod("shadowed", "default-scheduler")
        self.cluster.post("/api/v1/nodes", node)
        self.cluster.post("/api/v1/namespaces/default/pods", pod)
        process, base, log = self.start("berth", "shadow", "berth-shadow")
        reader = self.account("reader-shadow", "system:monitoring")
        attempts = re.compile(r"^scheduler_schedule_attempts_total\{[^}]*\} [1-9]", re.MULTILINE)
        until("a decision", lambda: attempts.search(fetch(f"{base}/metrics", reader)[1]))
        self.stop(process, log)
        found = self.cluster.get("/api/v1/namespaces/default/pods/shadowed")
        self.assertNotIn("nodeName", found["spec"])
        self.assertNotIn("conditions", found["status"])
        events = self.cluster.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        self.assertEqual([e for e in events if e["regarding"]["name"] == "shadowed"], [])
        self.assertEqual(self.cluster.get("/apis/coordination.k8s.io/v1/namespaces/berth-shadow/leases")["items"], [])

    def start(self, program, overlay, namespace):
        """Runs a scheduler with the arguments of the Deployment and the token of its account."""
        container = self.deployment(overlay)["spec"]["template"]["spec"]["containers"][0]
        names = [v["configMap"]["name"] for v in self.deployment(overlay)["spec"]["template"]["spec"]["volumes"]]
        config = self.cluster.folder / f"{overlay}.yaml"
        config.write_text(self.cluster.get(f"/api/v1/namespaces/{namespace}/configmaps/{names[0]}")["data"]["scheduler.yaml"])
        kubeconfig, port = self.cluster.kubeconfig_of(namespace, "berth-scheduler"), free_port()
        arguments = [a.replace("$(POD_NAMESPACE)", namespace).replace("/etc/berth/scheduler.yaml", str(config)) for a in container["args"]]
        # In a pod the account's token is found by itself. With a configuration file, its clientConnection names the file.
        config.write_text(config.read_text() + f"clientConnection:\n  kubeconfig: {kubeconfig}\n")
        name = f"{overlay}-{program}"
        process = self.cluster.start(
            name, self.schedulers[program], *arguments, f"--authentication-kubeconfig={kubeconfig}",
            f"--authorization-kubeconfig={kubeconfig}", "--bind-address=127.0.0.1", f"--secure-port={port}",
        )  # fmt: skip
        base = f"https://127.0.0.1:{port}"
        until("/readyz", lambda: fetch(f"{base}/readyz")[0] == 200)
        return process, base, self.cluster.folder / f"{name}.log"

    def stop(self, process, log):
        process.terminate()
        process.wait(30)
        self.assertEqual([line for line in log.read_text().splitlines() if "forbidden" in line.lower()], [])

    def runs_as(self, program, overlay, scheduler_name, namespace, lease):
        process, base, log = self.start(program, overlay, namespace)
        until("the lease", self.holder(namespace, lease))
        self.places_a_pod(f"{overlay}-{program}", scheduler_name)
        self.answers_readers(base, f"{overlay}-{program}")
        self.stop(process, log)

    @staticmethod
    def node(name):
        return {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": name},
            "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}, "conditions": [{"type": "Ready", "status": "True"}]},
        }  # fmt: skip

    def pod(self, name, scheduler_name, selector=None):
        self.account(f"account-{name}")
        return {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {
                "schedulerName": scheduler_name, "serviceAccountName": f"account-{name}", "nodeSelector": selector or {},
                "containers": [{"name": "c", "image": "i"}],
            },
        }  # fmt: skip

    def account(self, name, role=None):
        """The token of a new service account, bound to a cluster role."""
        made = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        self.cluster.post("/api/v1/namespaces/default/serviceaccounts", made)
        if role:
            binding = {
                "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": name},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
                "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}],
            }  # fmt: skip
            self.cluster.post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)
        return self.cluster.token_of("default", name)

    def places_a_pod(self, name, scheduler_name):
        self.cluster.post("/api/v1/nodes", self.node(f"node-{name}"))
        self.cluster.post("/api/v1/namespaces/default/pods", self.pod(f"fits-{name}", scheduler_name))
        self.cluster.post("/api/v1/namespaces/default/pods", self.pod(f"misfit-{name}", scheduler_name, {"no": "such-node"}))
        read = lambda kind: self.cluster.get(f"/api/v1/namespaces/default/pods/{kind}-{name}")
        until("a pod with a node", lambda: read("fits")["spec"].get("nodeName"))
        reasons = lambda: {c.get("reason") for c in read("misfit")["status"].get("conditions", [])}
        until("a pod with a reason", lambda: "Unschedulable" in reasons())
        events = lambda: {
            (e["regarding"]["name"], e["reason"]) for e in self.cluster.get("/apis/events.k8s.io/v1/namespaces/default/events")["items"]
        }
        until("the events", lambda: {(f"fits-{name}", "Scheduled"), (f"misfit-{name}", "FailedScheduling")} <= events())

    @staticmethod
    def watched_metrics():
        """What the dashboard and the rules look at."""
        text = "".join((ROOT / "deploy/monitoring" / file).read_text() for file in ("dashboard.json", "rules.yaml"))
        names = set(re.findall(r"(?<![\w:])(?:scheduler|berth|leader_election|process|rest_client)_\w+(?=[{\[)])", text))
        return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}

    def answers_readers(self, base, name):
        """Whoever has the role system:monitoring reads the metrics; whoever has not is refused."""
        reader, stranger = self.account(f"reader-{name}", "system:monitoring"), self.account(f"stranger-{name}")
        _, metrics = until("the metrics", lambda: (a := fetch(f"{base}/metrics", reader))[0] == 200 and a)
        self.assertIn("scheduler_schedule_attempts_total", metrics)
        if name.endswith("-berth"):
            missing = {metric for metric in self.watched_metrics() if f"# TYPE {metric} " not in metrics}
            # Those of the client and the process come all together, with the process that counts them.
            whole_group = {metric for metric in self.watched_metrics() if not metric.startswith(("scheduler_", "berth_"))}
            self.assertIn(missing, (set(), whole_group))
        self.assertEqual(fetch(f"{base}/metrics", stranger)[0], 403)
        self.assertEqual(fetch(f"{base}/metrics")[0], 403)
        self.assertEqual(fetch(f"{base}/healthz")[0], 200)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("berth")
    options, rest = parser.parse_known_args()
    PROGRAMS_FOUND = find_programs()
    DeployTest.schedulers = {"upstream": PROGRAMS_FOUND["kube-scheduler"], "berth": options.berth}
    unittest.main(argv=[sys.argv[0], *rest])
