# SPDX-License-Identifier: Apache-2.0
"""The fault proxy as a program, and its switches."""
import json
from pathlib import Path

from .control_plane import ADMIN_TOKEN, DIRECTLY, write_kubeconfig
from .programs import Program, program
from .waiting import wait_until


class FaultProxy:
    """Stands between one client and the control plane `plane`."""

    def __init__(self, plane, name="proxy", seed=1):
        self._scratch = plane.scratch / name
        self._scratch.mkdir(exist_ok=True)
        ports = self._scratch / "ports.json"
        ports.unlink(missing_ok=True)
        self._ca = str(plane.scratch / "ca.crt")
        self._program = Program(
            [program("faultproxy"), "-upstream", f"https://127.0.0.1:{plane.port}", "-upstream-ca", plane.ca_file,
             "-certificates", str(plane.scratch), "-ports", str(ports), "-seed", str(seed)], self._scratch / "proxy.log")
        wait_until(ports.exists, lambda: f"the fault proxy\n{self._program.log_tail()}", 20)
        listening = json.loads(ports.read_text())
        self.port, self._control = listening["proxy"], listening["control"]

    def kubeconfig(self, token=ADMIN_TOKEN):
        """A kubeconfig that leads through the proxy."""
        return write_kubeconfig(self._scratch / f"{token[-20:]}.kubeconfig", self.port, self._ca, token)

    def _ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        with DIRECTLY.open(f"http://127.0.0.1:{self._control}{path}", data=data, timeout=20) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def set(self, **faults):
        """Sets faults by the names in faultproxy/faults.go; others stay as they are."""
        return self._ask("/faults", faults)

    def clear(self):
        self.set(refuse=False, watchDelayMs=0, goneFraction=0, goneNext=0, goneInStream=False, busyFraction=0, retryAfter=0,
                 goawayEvery=0, loseAnswers=0, loseResource="", loseFraction=0)

    def faults(self):
        return self._ask("/faults")

    def cut_watches(self):
        self._ask("/cut?what=watches")

    def cut_connections(self):
        self._ask("/cut?what=connections")

    def counters(self):
        return self._ask("/counters")

    def bindings(self):
        """Every request to bind that was passed on: pod, code, at, lost."""
        return self.counters()["bindings"] or []

    def stop(self):
        self._program.kill()
