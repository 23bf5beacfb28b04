# SPDX-License-Identifier: Apache-2.0
"""One play on two stages: the same actions with two schedulers, and what can be seen of each."""
import re
import threading

from . import objects
from .pod_history import PodHistory
from .waiting import wait_quiet, wait_until


class Stage:
    """A namespace in a control plane with one scheduler. Actions name objects; nodes are removed by clear()."""

    def __init__(self, plane, namespace):
        self.plane, self.api, self.namespace = plane, plane.api, namespace
        self.api.create("namespaces", objects.namespace(namespace))
        self.history = PodHistory(self.api, namespace)
        self._probes = 0

    # Actions

    def nodes(self, *nodes):
        """Creates nodes, and waits until the scheduler knows them: it places a pod on the last."""
        for node in nodes:
            self.api.create("nodes", node)
        self._probes += 1
        name = f"probe-{self._probes}"
        self.api.create("pods", objects.pod(
            name, self.namespace, cpu=None, memory=None, tolerations=[{"operator": "Exists"}],
            nodeSelector={"kubernetes.io/hostname": nodes[-1]["metadata"]["name"]}))
        self.bound(name)
        self.api.delete("pods", name, self.namespace, grace=0)
        self.gone(name)

    def pod(self, name, **fields):
        return self.api.create("pods", objects.pod(name, self.namespace, **fields))

    def create(self, resource, obj):
        if resource in ("persistentvolumeclaims", "poddisruptionbudgets"):
            obj["metadata"]["namespace"] = self.namespace
        return self.api.create(resource, obj)

    def patch_node(self, name, patch):
        self.api.patch("nodes", name, patch)

    def patch_pod(self, name, patch):
        self.api.patch("pods", name, patch, self.namespace)

    def delete(self, name, grace=None):
        self.api.delete("pods", name, self.namespace, grace)

    def end(self, name):
        """What a kubelet does when the containers of a deleted pod have ended."""
        self.terminating(name)
        self.api.delete("pods", name, self.namespace, grace=0)
        self.gone(name)

    # Waiting

    def _pod(self, name, condition, what):
        return wait_until(lambda: (pod := self.history.latest().get(name)) and condition(pod) and pod,
                          lambda: f"{name} {what}; its states: {self.states(name)}", 30)

    def bound(self, name):
        return self._pod(name, lambda pod: pod["spec"].get("nodeName"), "to be bound")["spec"]["nodeName"]

    def unschedulable(self, name, words=""):
        """Waits for the condition, with a message that contains the words."""
        def is_it(pod):
            found = objects.condition(pod, "PodScheduled")
            return found.get("status") == "False" and words in found.get("message", "")
        self._pod(name, is_it, f"to be unschedulable: {words}")

    def nominated(self, name):
        self._pod(name, lambda pod: pod["status"].get("nominatedNodeName"), "to be nominated")

    def terminating(self, name):
        self._pod(name, lambda pod: pod["metadata"].get("deletionTimestamp"), "to be deleted")

    def gone(self, name):
        wait_until(lambda: name not in self.history.latest(), f"{name} to be gone")

    # What can be seen

    def _pods(self):
        """Names of all pods there were, without the probes."""
        with self.history._lock:
            names = {states[-1][1]["metadata"]["name"] for states in self.history._states.values()}
        return sorted(name for name in names if not name.startswith("probe-"))

    def states(self, name):
        """What a pod looked like, from one change that matters to a scheduler's work to the next."""
        result = []
        for kind, pod in self.history.states(name):
            status = pod.get("status", {})
            seen = {
                "node": pod["spec"].get("nodeName"), "nominated": status.get("nominatedNodeName"), "phase": status.get("phase"),
                "deleting": "deletionTimestamp" in pod["metadata"], "gone": kind == "DELETED",
                "conditions": [{key: c.get(key) for key in ("type", "status", "reason", "message", "observedGeneration")}
                               for c in status.get("conditions", [])],
            }
            if not result or result[-1] != seen:
                result.append(seen)
        return [self.normal(seen) for seen in result]

    def events(self):
        """The events of the play, in order for each pod."""
        found = [e for e in self.api.list("events", self.namespace) if not e["regarding"]["name"].startswith("probe-")]
        found.sort(key=lambda e: (e["regarding"]["name"], e.get("eventTime") or "", e["reason"]))
        return [self.normal({
            "regarding": f"{e['regarding'].get('kind')} {e['regarding']['name']} {e['regarding'].get('apiVersion')}",
            "related": f"{e['related'].get('kind')} {e['related'].get('name')}" if e.get("related") else None,
            **{key: e.get(key) for key in ("type", "reason", "action", "note", "reportingController")},
        }) for e in found]

    def normal(self, value):
        """Without what differs from one cluster to the next: identities of objects."""
        if isinstance(value, dict):
            return {key: self.normal(v) for key, v in value.items()}
        if isinstance(value, list):
            return [self.normal(v) for v in value]
        if isinstance(value, str):
            return re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UID", value)
        return value

    def record(self):
        """Everything, once nothing changes any more."""
        wait_quiet(lambda: (self.events(), [self.states(name) for name in self._pods()]), quiet=1.0, interval=0.25)
        return {"events": self.events(), "pods": {name: self.states(name) for name in self._pods()}}

    def describe(self):
        """What kubectl tells about every pod, without times."""
        text = self.plane.kubectl("describe", "pods", "-n", self.namespace)
        text = re.sub(r"^(Start Time|Creation Timestamp): .*$", r"\1: TIME", text, flags=re.M)
        # Age and counts of events depend on when one looks.
        text = re.sub(r"^(  (?:Normal|Warning) +\S+ +)\S+(?: \(x\d+ over \S+\))?( +)", r"\1AGE ", text, flags=re.M)
        return [re.sub(r" +", " ", self.normal(line)) for line in text.splitlines()]

    def clear(self):
        for pod in self.api.list("pods", self.namespace):
            self.delete(pod["metadata"]["name"], grace=0)
        wait_until(lambda: not self.history.latest(), "all pods to be gone")
        for resource in ("nodes", "persistentvolumes", "storageclasses"):
            for obj in self.api.list(resource):
                self.api.delete(resource, obj["metadata"]["name"])
        self.history.stop()


def play_on_both(play, stages):
    """Plays on all stages at the same time, and returns what play(stage) returned for each."""
    results, errors = [None] * len(stages), []

    def one(i):
        try:
            results[i] = play(stages[i])
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(len(stages))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
