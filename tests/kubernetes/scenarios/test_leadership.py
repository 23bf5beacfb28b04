# SPDX-License-Identifier: Apache-2.0
"""Two replicas with leader election: what happens when the leader dies, stands still, or is cut off."""
from harness.api import ApiError
from harness.objects import pod
from harness.programs import reference_scheduler, scheduler_under_test
from harness.scenario import Scenario, scaled, short
from harness.scheduler import configuration
from harness.waiting import holds_for, wait_quiet, wait_until

ELECTION = {"leaderElect": True, "leaseDuration": "8s", "renewDeadline": "5s", "retryPeriod": "1s",
            "resourceLock": "leases", "resourceName": "kube-scheduler", "resourceNamespace": "kube-system"}


class Replica:
    """A scheduler behind a proxy of its own, which counts what it binds."""

    def __init__(self, scenario, name):
        self.proxy = scenario.start_proxy(f"{name}-proxy")
        kubeconfig = self.proxy.kubeconfig()
        self.scheduler = scenario.scheduler(kubeconfig=kubeconfig, name=name,
                                            config=configuration(kubeconfig, qps=100, leader_election=ELECTION))

    def bindings(self):
        return self.proxy.bindings()


class Leadership(Scenario):
    def setUp(self):
        super().setUp()
        self.make_nodes(20, cpu="64", memory="256Gi", pods="1000")
        self.created = []
        self.replicas = 0
        self.leader = self.start_replica()
        self.holder = wait_until(self.lease_holder, "somebody to lead")
        self.other = self.start_replica()

    def start_replica(self):
        self.replicas += 1
        replica = Replica(self, f"replica-{self.replicas}")
        # A replica that waits for its turn is ready in kube-scheduler; being alive is what is needed here.
        replica.scheduler.start(wait=False)
        wait_until(lambda: replica.scheduler.answer("/healthz")[0] == 200, "the replica to be healthy", 60)
        return replica

    def lease_holder(self):
        try:
            return self.api.get("leases", "kube-scheduler", "kube-system")["spec"].get("holderIdentity")
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def create_burst(self, count):
        names = [f"pod-{len(self.created) + i}" for i in range(count)]
        self.created += names
        self.api.create_all("pods", [pod(name, cpu="10m", memory="1Mi") for name in names])
        wait_until(lambda: len(self.history.bound().keys() & set(names)) >= count // 10, "the burst to begin", 30)
        return names

    def wait_taken_over(self):
        """Waits until the other replica leads."""
        self.holder = wait_until(lambda: (now := self.lease_holder()) and now != self.holder and now,
                                 "the other replica to lead", 60)

    def check_all_bound(self):
        self.wait_bound(self.created, timeout=120)
        self.history.check()

    @short
    def test_the_leader_is_killed_during_a_burst(self):
        for _ in range(scaled(1, 3, 20)):
            self.create_burst(150)
            self.leader.scheduler.kill()
            self.wait_taken_over()
            self.leader, self.other = self.other, self.start_replica()
            self.check_all_bound()

    def test_the_leader_ends_in_good_order_during_a_burst(self):
        self.create_burst(150)
        self.leader.scheduler.stop()
        self.wait_taken_over()
        self.check_all_bound()

    @short
    def test_a_leader_that_stood_still_binds_nothing_afterwards(self):
        self.create_burst(300)
        self.leader.scheduler.pause()
        self.wait_taken_over()
        # Whatever arrived at the old leader's proxy before it stood still has been counted by now.
        before = len(self.leader.bindings())
        self.leader.scheduler.resume()
        self.create_burst(100)
        self.check_all_bound()
        wait_until(lambda: not self.leader.scheduler.running(), "the old leader to end", 30)
        late = len(self.leader.bindings()) - before
        if scheduler_under_test() == reference_scheduler():
            # kube-scheduler sends what it was about to send; the API server sees to it that no pod is bound twice.
            self.note(f"kube-scheduler sent {late} bindings after the other replica took over")
        else:
            self.assertEqual(late, 0, "bindings sent after the other replica took over")

    @short
    def test_a_leader_that_was_cut_off_binds_nothing_afterwards(self):
        self.create_burst(300)
        self.leader.proxy.set(refuse=True)
        # What had reached the proxy by then is still counted.
        before = wait_quiet(lambda: len(self.leader.bindings()), 0.5)
        self.wait_taken_over()
        wait_until(lambda: not self.leader.scheduler.running(), "the old leader to end", 30)
        self.leader.proxy.set(refuse=False)
        self.create_burst(100)
        self.check_all_bound()
        self.assertEqual(len(self.leader.bindings()), before, "bindings of the old leader after it was cut off")

    @short
    def test_a_replica_that_waits_its_turn_binds_nothing(self):
        self.create_burst(100)
        self.check_all_bound()
        holds_for(lambda: not self.other.bindings(), "the second replica binds nothing", 1)
        self.assertEqual({b["pod"] for b in self.leader.bindings()}, set(self.created))
