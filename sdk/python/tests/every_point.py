# SPDX-License-Identifier: Apache-2.0
"""Has something to do at every extension point, for tests. sdk/go/internal/everypoint does the same."""
import threading

import berth_plugin as berth


class EveryPoint(berth.Plugin):
    name = "every-point"
    kinds = ["Service"]

    def __init__(self, session):
        super().__init__(session)
        args = dict(session.args)
        self.reject = args.pop("reject", "bad")
        self.full = berth.unresolvable("full")
        if args:
            raise ValueError(f'config: unknown field "{next(iter(args))}"')

    def events_to_register(self):
        return [berth.Registration("Node", berth.Actions.ADD,
                                   hint=lambda pod, before, after: after.labels.get("good") == "yes")]

    def pre_enqueue(self, pod, preempting):
        return berth.pending("gated") if preempting or "gate" in pod.labels else None

    def sort_key(self, pod):
        return [-pod.priority, self.QUEUED]

    def pre_filter(self, cycle, pod):
        cycle.state["pod"] = pod.name
        return berth.Only([pod.labels["only"]]) if "only" in pod.labels else None

    def filter(self, cycle, pod, node):
        if cycle.state.get("pod") != pod.name:
            return berth.error("PreFilter has not run")
        if self.session.cluster.object("Service", "default", "closed") is not None:
            return berth.unschedulable("closed")
        if self.reject in node.labels:
            return berth.unschedulable(f"node(s) had the label {self.reject}={node.labels[self.reject]}")
        return self.full if len(node.pods) > 1 else None

    def post_filter(self, cycle, pod, failure):
        for node, _ in failure.nodes:
            if node.pods and failure.judge_without(node, node.pods) is None:
                return berth.Nomination(node.name, node.pods)
        return berth.unschedulable("no victims help")

    def pre_score(self, cycle, pod, nodes):
        return berth.skip() if "indifferent" in pod.labels else None

    def score(self, cycle, pod, node):
        return 1000 * len(node.pods)

    def normalize_score(self, cycle, pod, nodes, scores):
        return [score // 100 for score in scores]

    def reserve(self, cycle, pod, node):
        return berth.unschedulable(f"unwanted on {node.name}") if "unwanted" in pod.labels else None

    def unreserve(self, cycle, pod, node):
        self.session.event(pod, "Unreserved", "Scheduling", f"gave up {node.name}", warning=True)

    def permit(self, cycle, pod, node):
        decide = cycle.allow if pod.labels.get("allow") == "yes" else lambda: cycle.reject("not allowed")
        threading.Thread(target=decide).start()
        return berth.Permit(berth.wait(), 1.5)

    def pre_bind_pre_flight(self, cycle, pod, node):
        return None, True

    def pre_bind(self, binding):
        claim = berth.ObjectRef("PersistentVolumeClaim", "default", "data")
        patch = '{"metadata": {"labels": {"node": "%s"}}}' % binding.node.name
        try:
            version = binding.patch(claim, patch, resource_version="1")
        except RuntimeError as failed:
            return berth.unschedulable(f"not patched: {failed}")
        return None if version == "2" else berth.error(f"version {version}")

    def bind(self, binding):
        binding.bind()

    def post_bind(self, cycle, pod, node_name):
        self.session.activate(pod)


if __name__ == "__main__":
    berth.serve(EveryPoint)
