# SPDX-License-Identifier: Apache-2.0
"""A scheduler as a program of its own, started with kube-scheduler's flags."""
import json
import signal
from pathlib import Path

from .control_plane import tls_answer
from .programs import Program, free_ports
from .waiting import wait_until


def configuration(kubeconfig, *, profiles=None, qps=500, leader_election=None, **fields):
    """A KubeSchedulerConfiguration; `fields` are further ones of the top level."""
    result = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
              "clientConnection": {"kubeconfig": kubeconfig, "qps": qps, "burst": qps},
              "leaderElection": leader_election or {"leaderElect": False}, **fields}
    if profiles:
        result["profiles"] = profiles
    return result


class Scheduler:
    """Runs `binary` under the name kube-scheduler: Berth's program is a different one under each of its names.
    With `config` (a dictionary, or the path of a file) it is started with --config; `kubeconfig` is passed for the checks of
    its own clients' rights, and without `config` for everything."""

    def __init__(self, binary, scratch, kubeconfig, config=None, flags=(), name="scheduler", serving_rights=True):
        self.name = name
        self.scratch = Path(scratch) / name
        self.scratch.mkdir(parents=True, exist_ok=True)
        self._link = self.scratch / "kube-scheduler"
        self._link.unlink(missing_ok=True)
        self._link.symlink_to(binary)
        self._kubeconfig = kubeconfig
        self._arguments = list(flags)
        if isinstance(config, dict):
            (self.scratch / "config.yaml").write_text(json.dumps(config, indent=1))
            config = self.scratch / "config.yaml"
        self._arguments.append(f"--config={config}" if config else f"--kubeconfig={kubeconfig}")
        if serving_rights:
            self._arguments += [f"--authentication-kubeconfig={kubeconfig}", f"--authorization-kubeconfig={kubeconfig}"]
        self.log = self.scratch / "scheduler.log"
        self.port = None
        self._program = None

    def start(self, wait=True):
        self.port, = free_ports(1)
        self._program = Program([str(self._link), *self._arguments, "--bind-address=127.0.0.1",
                                 f"--secure-port={self.port}", f"--cert-dir={self.scratch / 'certs'}"], self.log)
        if wait:
            self.wait_ready()
        return self

    def wait_ready(self, timeout=60):
        def ready():
            if not self.running():
                raise AssertionError(f"{self.name} ended with {self._program.exit_code()}:\n{self._program.log_tail(30)}")
            return self.answer("/readyz")[0] == 200
        wait_until(ready, lambda: f"{self.name} to be ready\n{self._program.log_tail(30)}", timeout)

    def answer(self, path, token=None):
        """(status, text) of a GET from its secure port."""
        return tls_answer(self.port, path, token)

    def running(self):
        return self._program is not None and self._program.running()

    @property
    def pid(self):
        return self._program.pid

    def exit_code(self):
        return self._program.exit_code()

    def stop(self):
        """Ends it in good order; its exit code."""
        if self._program is None:
            return None
        self._program.signal(signal.SIGCONT)
        return self._program.stop()

    def kill(self):
        self._program.kill()

    def pause(self):
        self._program.signal(signal.SIGSTOP)

    def resume(self):
        self._program.signal(signal.SIGCONT)

    def log_text(self):
        return self._program.log_text()
