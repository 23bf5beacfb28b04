# SPDX-License-Identifier: Apache-2.0
"""A real control plane: etcd and kube-apiserver on free ports of the loopback device. There is no kubelet: nodes are
plain objects, and pods stay as the scheduler leaves them."""
import base64
import json
import ssl
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

from .api import Api
from .programs import Program, free_ports, program
from .waiting import wait_until

ADMIN_TOKEN = "admin-token"
# What kube-scheduler runs as in most clusters; RBAC grants it the role of the same name.
SCHEDULER_TOKEN, SCHEDULER_USER = "scheduler-token", "system:kube-scheduler"

# Whatever proxies the environment names, servers of this machine are asked directly, and whatever their certificates.
DIRECTLY = urllib.request.build_opener(urllib.request.ProxyHandler({}),
                                       urllib.request.HTTPSHandler(context=ssl._create_unverified_context()))


def write_kubeconfig(path, port, ca_file, token=ADMIN_TOKEN):
    """A kubeconfig for https://127.0.0.1:`port`, in JSON, which is YAML."""
    ca = base64.b64encode(Path(ca_file).read_bytes()).decode()
    Path(path).write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{"name": "it", "cluster": {"server": f"https://127.0.0.1:{port}", "certificate-authority-data": ca}}],
        "users": [{"name": "it", "user": {"token": token}}],
        "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
    }, indent=1))
    return str(path)


def tls_answer(port, path, token=None, timeout=2.0):
    """(status, text) of a GET without looking at the certificate; status 0 when nobody answers."""
    request = urllib.request.Request(f"https://127.0.0.1:{port}{path}")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with DIRECTLY.open(request, timeout=timeout) as answer:
            return answer.status, answer.read().decode(errors="replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(errors="replace")
    except OSError:
        return 0, ""


class ControlPlane:
    """`scratch` holds its data, logs and certificates. `users`: token -> (name, groups) beside the administrator and the
    scheduler. Stop it with stop(), also after a failure."""

    def __init__(self, scratch, *, rbac=False, goaway_chance=0.0, disable_admission=("TaintNodesByCondition", "Priority"),
                 users=None, flags=()):
        self.scratch = Path(scratch)
        self.scratch.mkdir(parents=True, exist_ok=True)
        self._rbac, self._goaway_chance = rbac, goaway_chance
        self._disabled = ["ServiceAccount", *disable_admission]
        self._flags = list(flags)
        self.etcd = self.apiserver = None
        etcd_client, etcd_peer, self.port = free_ports(3)
        self._etcd_urls = f"http://127.0.0.1:{etcd_client}", f"http://127.0.0.1:{etcd_peer}"
        subprocess.run([program("faultproxy"), "certificates", str(self.scratch)], check=True)
        users = {ADMIN_TOKEN: ("admin", ["system:masters"]), SCHEDULER_TOKEN: (SCHEDULER_USER, []), **(users or {})}
        self._tokens = self.scratch / "tokens.csv"
        self._tokens.write_text("".join(
            f'{token},{name},{name},"{",".join(groups)}"\n' for token, (name, groups) in users.items()))
        try:
            self._start_etcd()
            self.start_apiserver()
        except BaseException:
            self.stop()
            raise
        self.api = Api(self.port, ADMIN_TOKEN, self.ca_file)

    @property
    def ca_file(self):
        return str(self.scratch / "certs/apiserver.crt")

    def kubeconfig(self, name="admin.kubeconfig", token=ADMIN_TOKEN):
        return write_kubeconfig(self.scratch / name, self.port, self.ca_file, token)

    def kubectl(self, *arguments, check=True):
        """The output of kubectl, run as the administrator."""
        done = subprocess.run([program("kubectl"), "--kubeconfig", self.kubeconfig(),
                               "--cache-dir", str(self.scratch / "kubectl-cache"), *arguments],
                              capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stderr
        return done.stdout

    def _start_etcd(self):
        client, peer = self._etcd_urls
        self.etcd = Program(
            [program("etcd"), "--name=t", f"--data-dir={self.scratch / 'etcd'}", "--log-level=warn", "--unsafe-no-fsync",
             "--quota-backend-bytes=4294967296", f"--listen-client-urls={client}", f"--advertise-client-urls={client}",
             f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}", f"--initial-cluster=t={peer}"],
            self.scratch / "etcd.log")

    def start_apiserver(self):
        """Starts it, again on the same port after stop_apiserver() or kill_apiserver(), and waits until it is ready."""
        flags = [
            f"--etcd-servers={self._etcd_urls[0]}", "--bind-address=127.0.0.1", f"--secure-port={self.port}",
            f"--cert-dir={self.scratch / 'certs'}", f"--token-auth-file={self._tokens}",
            f"--authorization-mode={'RBAC' if self._rbac else 'AlwaysAllow'}", "--endpoint-reconciler-type=none",
            f"--service-account-issuer=https://127.0.0.1:{self.port}",
            f"--service-account-key-file={self.scratch / 'sa.key'}",
            f"--service-account-signing-key-file={self.scratch / 'sa.key'}", "--service-cluster-ip-range=10.0.0.0/24",
            f"--disable-admission-plugins={','.join(self._disabled)}", f"--goaway-chance={self._goaway_chance}",
            *self._flags]
        self.apiserver = Program([program("kube-apiserver"), *flags], self.scratch / "kube-apiserver.log")
        wait_until(self._ready, lambda: f"kube-apiserver to be ready\n{self.apiserver.log_tail()}", timeout=90)

    def _ready(self):
        for server in (self.etcd, self.apiserver):
            if not server.running():
                raise AssertionError(f"ended with {server.exit_code()}:\n{server.log_tail()}")
        # Being ready says nothing of the namespaces, which the server makes a little later.
        return all(tls_answer(self.port, path, ADMIN_TOKEN)[0] == 200
                   for path in ("/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"))

    def stop_apiserver(self):
        self.apiserver.stop(30)

    def kill_apiserver(self):
        self.apiserver.kill()

    def restart_apiserver(self, kill=False):
        self.kill_apiserver() if kill else self.stop_apiserver()
        self.start_apiserver()

    def stop(self):
        for server in (self.apiserver, self.etcd):
            if server:
                # Nothing of it is needed again, and kube-apiserver takes its time to end in good order.
                server.kill()
