# SPDX-License-Identifier: Apache-2.0
"""Where the programs are, and how one is started and ended."""
import os
import signal
import socket
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent


def cache_bin():
    """The folder of the programs that build.sh makes."""
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "berth/kubernetes"
    return Path(os.environ.get("BERTH_KUBERNETES_CACHE") or default) / "v1.36.4/bin"


def program(name):
    found = sorted(cache_bin().glob("faultproxy-*"))[-1:] if name == "faultproxy" else [cache_bin() / name]
    if not found or not found[0].exists():
        raise FileNotFoundError(f"{name} is not built: tests/kubernetes/build.sh builds it")
    return str(found[0])


def reference_scheduler():
    """The real kube-scheduler."""
    return program("kube-scheduler")


def scheduler_under_test():
    """The program that BERTH_SCHEDULER names; Berth's release build unless set."""
    path = Path(os.environ.get("BERTH_SCHEDULER") or ROOT / "build/release/bin/berth").resolve()
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"no scheduler to test: {path} (BERTH_SCHEDULER names another)")
    return str(path)


def sample_program(target):
    """A program of examples/: of Berth's release build, whatever scheduler is under test."""
    path = ROOT / "build/release/bin" / target
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is missing: `cmake --preset release && ninja -C build/release {target}` builds it")
    return str(path)


def free_ports(count):
    """Ports of the loopback device that nobody listens on at this moment."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [sock.getsockname()[1] for sock in sockets]
    for sock in sockets:
        sock.close()
    return ports


_started = []


def kill_started():
    """Ends every program this process started: for when it is told to end in the middle of a test."""
    for started in _started:
        started.kill()


class Program:
    """A running program with its output in a file. Signals go to its process id, nowhere else."""

    def __init__(self, arguments, log, env=None):
        self.log = Path(log)
        with open(self.log, "ab") as out:
            self._process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                             env={**os.environ, **(env or {})})
        _started.append(self)

    @property
    def pid(self):
        return self._process.pid

    def running(self):
        return self._process.poll() is None

    def exit_code(self):
        return self._process.poll()

    def signal(self, number):
        if self.running():
            self._process.send_signal(number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self._process.wait()

    def stop(self, timeout=10.0):
        """SIGTERM, then SIGKILL when that does not help. The exit code."""
        self.signal(signal.SIGTERM)
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
        return self._process.returncode

    def log_text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def log_tail(self, lines=15):
        return "\n".join(self.log_text().splitlines()[-lines:])
