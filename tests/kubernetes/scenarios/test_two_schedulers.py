# SPDX-License-Identifier: Apache-2.0
"""A second scheduler beside kube-scheduler, and one that gets in the way."""
import random
import threading

from harness.api import ApiError
from harness.objects import pod
from harness.programs import reference_scheduler
from harness.scenario import Scenario, scaled, short
from harness.scheduler import configuration
from harness.waiting import wait_until

# A scheduler composed of default plugins: the fuller node is the better one.
MY_CUSTOM_SCHEDULER = [{
    "schedulerName": "my-custom-scheduler",
    "plugins": {"score": {"enabled": [{"name": "NodeResourcesFit", "weight": 1}]}},
    "pluginConfig": [
        {"name": "NodeResourcesFit", "args": {
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesFitArgs",
            "scoringStrategy": {"type": "MostAllocated",
                                "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]}}},
        {"name": "VolumeBinding", "args": {
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "VolumeBindingArgs", "bindTimeoutSeconds": 60}},
    ],
}]


class TwoSchedulers(Scenario):
    def start_both(self):
        self.proxies = {name: self.start_proxy(name) for name in ("default", "custom")}
        default, custom = (self.proxies[name].kubeconfig() for name in ("default", "custom"))
        self.start_scheduler(binary=reference_scheduler(), kubeconfig=default, name="default-scheduler")
        self.start_scheduler(kubeconfig=custom, name="my-custom-scheduler",
                             config=configuration(custom, profiles=MY_CUSTOM_SCHEDULER))

    def events_about(self, name):
        return wait_until(lambda: [event for event in self.api.list("events", "default")
                                   if event["regarding"].get("name") == name and event["reason"] == "Scheduled"],
                          f"the event about {name}")

    @short
    def test_each_places_its_own_by_its_own_rules(self):
        self.make_nodes(1, "full")
        self.make_nodes(1, "empty")
        filler = pod("filler", cpu="2", memory="4Gi")
        filler["spec"]["nodeName"] = "full-0"
        self.api.create("pods", filler)
        self.start_both()
        self.api.create("pods", pod("nginx-custom", scheduler="my-custom-scheduler"))
        self.api.create("pods", pod("nginx-default"))
        bound = self.wait_bound(["nginx-custom", "nginx-default"])
        self.assertEqual((bound["nginx-custom"], bound["nginx-default"]), ("full-0", "empty-0"))
        for name, controller in (("nginx-custom", "my-custom-scheduler"), ("nginx-default", "default-scheduler")):
            self.assertEqual(self.events_about(name)[0]["reportingController"], controller)

    @short
    def test_neither_touches_the_others_pods(self):
        self.make_nodes(20)
        self.start_both()
        names = {"default": [f"default-{i}" for i in range(scaled(50, 200))],
                 "custom": [f"custom-{i}" for i in range(scaled(50, 200))]}
        self.api.create_all("pods", [pod(name) for name in names["default"]] +
                            [pod(name, scheduler="my-custom-scheduler") for name in names["custom"]])
        # Nobody is responsible for this one.
        self.api.create("pods", pod("foreign", scheduler="somebody-else"))
        self.wait_bound(names["default"] + names["custom"])
        for which, proxy in self.proxies.items():
            self.assertEqual({b["pod"] for b in proxy.bindings()}, set(names[which]))
        foreign = self.history.latest()["foreign"]
        self.assertNotIn("nodeName", foreign["spec"])
        self.assertEqual(foreign["status"].get("conditions", []), [])

    @short
    def test_conflicting_binds_by_another_scheduler(self):
        """Another one binds the same pods at random; the scheduler sees it late. Every pod ends on one node, once."""
        self.make_nodes(20, cpu="64", memory="256Gi", pods="500")
        proxy = self.start_proxy()
        # What the scheduler learns of the other's bindings comes late, so that it runs into them.
        proxy.set(watchDelayMs=400)
        scheduler = self.start_scheduler(kubeconfig=proxy.kubeconfig(),
                                         config=configuration(proxy.kubeconfig(), qps=100, podMaxBackoffSeconds=2))
        names = [f"pod-{i}" for i in range(scaled(200, 600))]
        stolen, done = [], threading.Event()

        def steal():
            draw = random.Random(7)
            while not done.wait(0.01):
                pending = [name for name in names if name in (latest := self.history.latest())
                           and not latest[name]["spec"].get("nodeName")]
                for name in draw.sample(pending, min(2, len(pending))):
                    try:
                        self.api.bind(name, f"node-{draw.randrange(20)}")
                        stolen.append(name)
                    except ApiError as error:
                        if error.code not in (404, 409):
                            raise

        thief = threading.Thread(target=steal)
        thief.start()
        try:
            self.api.create_all("pods", [pod(name) for name in names])
            self.wait_bound(names, timeout=120)
        finally:
            done.set()
            thief.join()
        self.history.check()
        codes = [b["code"] for b in proxy.bindings()]
        self.assertGreater(codes.count(409), 0, "the two never met")
        self.assertEqual(codes.count(201) + len(stolen), len(names))
        self.assertTrue(scheduler.running())
        # It goes on as before.
        proxy.clear()
        proxy.cut_watches()
        self.api.create("pods", pod("after"))
        self.wait_bound(["after"])
