# SPDX-License-Identifier: Apache-2.0
"""Follows every pod with a watch of its own, and notes what must never happen to one."""
import threading

from .api import Stop


class PodHistory:
    """Every state each pod was seen in, by name, from the moment the history has been constructed. A pod that moves to another
    node once it has one is a violation."""

    def __init__(self, api, namespace=None):
        self.violations = []
        self._states = {}  # uid -> states, oldest first
        self._lock = threading.Lock()
        self._stop = Stop()
        # Without the wait, a pod that is created next may be first seen after the scheduler has written its status.
        listed = threading.Event()
        self._thread = threading.Thread(target=self._follow, args=(api, namespace, listed), daemon=True)
        self._thread.start()
        if not listed.wait(60):
            self.violations.append("no list of pods was read within a minute")

    def _follow(self, api, namespace, listed):
        try:
            for kind, pod in api.watch("pods", namespace, self._stop, listed.set):
                with self._lock:
                    self._note(kind, pod)
        except Exception as error:  # Shown by check(): a history with a hole proves nothing.
            self.violations.append(f"the watch of pods ended: {error!r}")
        finally:
            listed.set()

    def _note(self, kind, pod):
        states = self._states.setdefault(pod["metadata"]["uid"], [])
        before = states[-1][1]["spec"].get("nodeName") if states else None
        after = pod["spec"].get("nodeName")
        if before and after != before:
            self.violations.append(f"{pod['metadata']['name']} moved from {before} to {after}")
        states.append((kind, pod))

    def latest(self):
        """Name -> last known state of the pods that exist."""
        with self._lock:
            lasts = [states[-1] for states in self._states.values()]
        return {pod["metadata"]["name"]: pod for kind, pod in lasts if kind != "DELETED"}

    def bound(self):
        """Name -> node of the pods that exist and have one."""
        return {name: pod["spec"]["nodeName"] for name, pod in self.latest().items() if pod["spec"].get("nodeName")}

    def states(self, name):
        """Every (event type, pod) seen of the pods of this name."""
        with self._lock:
            return [state for states in self._states.values() for state in states if state[1]["metadata"]["name"] == name]

    def ever_bound(self):
        """uid -> (name, node) of every pod that ever had a node."""
        with self._lock:
            return {uid: (states[-1][1]["metadata"]["name"], states[-1][1]["spec"]["nodeName"])
                    for uid, states in self._states.items() if states[-1][1]["spec"].get("nodeName")}

    def check(self):
        assert not self.violations, self.violations

    def stop(self):
        self._stop.set()
        self._thread.join(10)
