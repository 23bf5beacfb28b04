# SPDX-License-Identifier: Apache-2.0
"""The samples of examples/ in a cluster with RBAC: each is deployed by its own manifest and does what its README says."""
import re
import sys

from harness.deployed import Deployed, pod_of
from harness.objects import condition, pod
from harness.programs import ROOT, Program, reference_scheduler, sample_program
from harness.scenario import Scenario, short
from harness.waiting import wait_quiet, wait_until

EXAMPLES = ROOT / "examples"


class Sample(Scenario):
    control_plane_options = {"rbac": True}

    def deploy(self, *files, name="deployed"):
        folder = self.scratch / name
        folder.mkdir()
        return Deployed(self.plane, folder, *files)

    def apply(self, file):
        """The objects of a file, as the API server has them."""
        return self.deploy(file, name=file.name)

    def node_of_new(self, made):
        """Creates a pod, and gives the node it is bound to."""
        self.api.create("pods", made)
        name = made["metadata"]["name"]
        return self.wait_bound([name])[name]

    def check_untouched(self, name):
        untouched = self.history.latest()[name]
        self.assertNotIn("nodeName", untouched["spec"])
        self.assertEqual(untouched["status"].get("conditions", []), [])

    def check_rights_were_enough(self, *programs):
        for program in programs:
            self.assertEqual(re.findall(".*forbidden.*", program.log_text()), [])

    @staticmethod
    def logged(scheduler):
        # Quotation marks are escaped in logs.
        return scheduler.log_text().replace('\\"', '"')


# What kube-scheduler v1.16 might do, as manifests of that time have it.
ROLE_OF_OLD = [
    ("", ["nodes", "pods", "services", "replicationcontrollers", "persistentvolumeclaims", "persistentvolumes"],
     ["get", "list", "watch"]),
    ("", ["pods"], ["delete"]),
    ("", ["bindings", "pods/binding"], ["create"]),
    ("", ["pods/status"], ["patch", "update"]),
    ("", ["persistentvolumeclaims", "persistentvolumes"], ["patch", "update"]),
    ("", ["events"], ["create", "patch", "update"]),
    ("events.k8s.io", ["events"], ["create", "patch", "update"]),
    ("apps", ["replicasets", "statefulsets"], ["get", "list", "watch"]),
    ("policy", ["poddisruptionbudgets"], ["get", "list", "watch"]),
    ("storage.k8s.io", ["csinodes", "storageclasses"], ["get", "list", "watch"]),
    ("coordination.k8s.io", ["leases"], ["create", "get", "list", "update", "watch"]),
]
MISSING_FROM_OLD = {"namespaces", "csidrivers", "csistoragecapacities", "volumeattachments"}


class SamplePlugin(Sample):
    FOLDER = EXAMPLES / "sample_plugin"

    def setUp(self):
        super().setUp()
        self.make_nodes(3)
        self.deployed = self.deploy(self.FOLDER / "deploy/sample-scheduler.yaml")

    def start_sample(self, file=None, wait=True):
        kubeconfig = self.deployed.kubeconfig()
        return self.scheduler(binary=sample_program(self.deployed.program()), kubeconfig=kubeconfig,
                              config=self.deployed.config(kubeconfig, file), flags=self.deployed.flags()).start(wait)

    def check_it_places_its_own(self, scheduler):
        self.api.create("pods", pod("other"))
        template = self.deploy(self.FOLDER / "deploy/test-scheduler.yaml", name="test-scheduler").only("Deployment")
        node = self.node_of_new(pod_of(template, "test-scheduler-1"))
        lines = ["prefilter pod: test-scheduler-1", *(f"filter pod: test-scheduler-1, node: node-{i}" for i in range(3))]
        bound = f'"Successfully bound pod to node" pod="default/test-scheduler-1" node="{node}" evaluatedNodes=3 '
        wait_until(lambda: bound in self.logged(scheduler), f"the log to say: {bound}")
        text = self.logged(scheduler)
        for line in lines:
            self.assertEqual(text.count(f'"{line}"'), 1, line)
        self.assertRegex(text, f'"prebind node info: {node} [^"]*cpu=4 ')
        self.assertRegex(text, '"get plugin config args" favorite_color="#326CE5" favorite_number=7 thanks_to="[^"]+"')
        self.assertNotIn("pod: other", text)
        self.check_rights_were_enough(scheduler)
        self.check_untouched("other")
        lease = self.api.get("leases", "sample-scheduler", "kube-system")
        self.assertTrue(lease["spec"]["holderIdentity"])

    @short
    def test_it_places_its_own_pods_and_says_what_it_sees(self):
        self.check_it_places_its_own(self.start_sample())

    def test_its_v1_configuration_means_the_same(self):
        self.check_it_places_its_own(self.start_sample(self.FOLDER / "scheduler-config-v1.yaml"))

    def test_with_the_role_of_old_it_names_every_right_that_is_missing(self):
        role = self.api.get("clusterroles", "sample-scheduler-clusterrole")
        todays = role["rules"]
        role["rules"] = [{"apiGroups": [group], "resources": resources, "verbs": verbs}
                         for group, resources, verbs in ROLE_OF_OLD]
        role = self.api.replace("clusterroles", role)
        scheduler = self.start_sample(wait=False)

        def missing():
            return set(re.findall(r'cannot (?:list|watch) resource "(\w+)"', self.logged(scheduler)))
        wait_until(lambda: missing() >= MISSING_FROM_OLD, lambda: f"the log to name them; it names {missing()}")
        self.assertEqual(wait_quiet(missing), MISSING_FROM_OLD)
        # Given the rights, it goes on without a restart.
        self.api.replace("clusterroles", {**role, "rules": todays})
        scheduler.wait_ready(90)
        self.api.create("pods", pod("late", scheduler="sample-scheduler"))
        self.wait_bound(["late"])


class MyCustomScheduler(Sample):
    FOLDER = EXAMPLES / "my_custom_scheduler"

    def test_each_pod_goes_where_its_scheduler_sends_it(self):
        self.plane.kubectl("apply", "-f", str(self.FOLDER / "cluster.yaml"))
        deployed = self.deploy(self.FOLDER / "deploy/my-custom-kube-scheduler.yaml")
        kubeconfig = deployed.kubeconfig()
        custom = self.start_scheduler(kubeconfig=kubeconfig, config=deployed.config(kubeconfig), flags=deployed.flags(),
                                      name="my-custom-scheduler")
        self.start_scheduler(binary=reference_scheduler(), name="default-scheduler")
        self.plane.kubectl("apply", "-f", str(self.FOLDER / "deploy/nginx.yaml"))
        bound = self.wait_bound(["nginx-custom", "nginx-default"])
        self.assertEqual((bound["nginx-custom"], bound["nginx-default"]), ("fuller", "emptier"))
        self.check_rights_were_enough(custom)


# The first node that the extender is asked about is out of luck with this one, and lucky when it is asked again.
SEED_WITHOUT_LUCK = 4
SEED = 2


class SampleExtender(Sample):
    FOLDER = EXAMPLES / "sample_extender"
    POLICY = "/etc/kubernetes/scheduler-extender-config/scheduler-extender-policy.json"

    def setUp(self):
        super().setUp()
        self.deployed = self.deploy(self.FOLDER / "sample-extender.yaml")
        self.template = self.deploy(self.FOLDER / "test-pods.yaml", name="test-pods").only("Deployment")

    def start_extender(self, seed, name):
        program = Program([sample_program("sample_extender"), "--port=0", f"--seed={seed}"], self.scratch / f"{name}.log")
        self.addCleanup(program.kill)
        return program

    def start_with(self, extender, file):
        """The scheduler with the configuration of this name in the ConfigMap."""
        listens = re.compile(r"listens on port (\d+)\n")
        found = wait_until(lambda: listens.search(extender.log_text()), "the extender to listen")
        address = {"localhost:8888": f"localhost:{found[1]}"}
        policy = self.deployed.files["scheduler-extender-policy.json"]
        text = policy.read_text()
        kubeconfig = self.deployed.kubeconfig()
        if file == "scheduler-extender-config.yaml":
            policy.write_text(text.replace("localhost:8888", address["localhost:8888"]))
            address = {self.POLICY: str(policy)}
        config = self.deployed.config(kubeconfig, self.deployed.files[file], address)
        return self.start_scheduler(kubeconfig=kubeconfig, config=config, flags=self.deployed.flags(), name=file)

    @staticmethod
    def said_of(extender, name):
        """What was decided about a pod: the nodes that passed when it was asked last, and all that were scored then."""
        *_, last = re.findall(rf"((?:filter pod: default/{name}, .*\n)+)((?:prioritize pod: default/{name}, .*\n)*)",
                              extender.log_text())
        return set(re.findall(r"node: (\S+), lucky", last[0])), set(re.findall(r"node: (\S+), score", last[1]))

    def play(self, file):
        """Pods one after the other: the nodes that passed for each."""
        extender = self.start_extender(SEED, file)
        scheduler = self.start_with(extender, file)
        passed_of = {}
        for name in (f"lucky-{i}" for i in range(5)):
            node = self.node_of_new(pod_of(self.template, name))
            passed, scored = self.said_of(extender, name)
            self.assertIn(node, passed)
            self.assertEqual(scored, passed if len(passed) > 1 else set(), "it ranks nodes only where there is a choice")
            passed_of[name] = passed
        self.check_rights_were_enough(scheduler)
        scheduler.stop()
        for name in passed_of:
            self.api.delete("pods", name, grace=0)
        wait_until(lambda: not self.history.latest(), "the pods to be gone")
        return passed_of

    def test_pods_go_only_where_it_lets_them(self):
        self.make_nodes(4)
        by_policy = self.play("scheduler-extender-config.yaml")
        self.assertTrue(any(len(passed) < 4 for passed in by_policy.values()), "nobody was out of luck")
        # The seed is the same, so are the questions.
        self.assertEqual(self.play("config.yaml"), by_policy)

    def test_a_pod_out_of_luck_says_so_and_is_tried_again(self):
        self.make_nodes(1)
        extender = self.start_extender(SEED_WITHOUT_LUCK, "extender")
        self.start_with(extender, "config.yaml")
        self.assertEqual(self.node_of_new(pod_of(self.template, "lucky")), "node-0")
        told = {condition(state, "PodScheduled").get("message") for _, state in self.history.states("lucky")}
        self.assertTrue(any("0/1 nodes are available: 1 Well, you're not lucky." in (text or "") for text in told), told)


class StickyJobs(Sample):
    FOLDER = EXAMPLES / "sticky"

    def setUp(self):
        super().setUp()
        self.plane.kubectl("apply", "-f", str(self.FOLDER / "deploy/stickyjob-crd.yaml"))
        self.plane.kubectl("wait", "--for=condition=Established", "crd/stickyjobs.example.com", "--timeout=60s")
        deployed = self.deploy(self.FOLDER / "deploy/sticky-scheduler.yaml")
        kubeconfig = deployed.kubeconfig()
        self.running = self.start_scheduler(binary=sample_program(deployed.program()), kubeconfig=kubeconfig,
                                            config=deployed.config(kubeconfig), flags=deployed.flags(), name="sticky-scheduler")
        self.controlling = self.deploy(self.FOLDER / "deploy/sticky-controller.yaml", name="controller")

    def start_controller(self, proxy=None):
        command = [sys.executable, "-B", str(self.FOLDER / "controller/controller.py")]
        program = Program([*command, "--kubeconfig", self.controlling.kubeconfig(proxy)], self.scratch / "controller.log")
        self.addCleanup(program.kill)
        return program

    def make_job(self):
        self.plane.kubectl("apply", "-f", str(self.FOLDER / "deploy/stickyjob.yaml"))

    def fill(self, node, cpu):
        filler = pod(f"filler-{node}", cpu=cpu)
        self.api.create("pods", {**filler, "spec": {**filler["spec"], "nodeName": node}})

    def settled(self, after=None):
        """Waits until the job has a pod, another one than `after`, on a node that its status names; gives the pod."""
        old = after and after["metadata"]["uid"]
        made = self.wait_pod("cache", lambda pod: pod["metadata"]["uid"] != old and pod["spec"].get("nodeName"),
                             "to be made and bound", 90)
        node = made["spec"]["nodeName"]
        wait_until(lambda: self.api.get("stickyjobs", "cache").get("status", {}).get("lastNode") == node,
                   lambda: f"{node} to be recorded; the job is {self.api.get('stickyjobs', 'cache')}")
        return made

    def deleted(self, pod):
        """Deletes it, and gives the one made in its stead."""
        self.api.delete("pods", "cache", grace=0)
        return self.settled(pod)

    def test_a_deleted_pod_comes_back_to_its_node(self):
        self.make_nodes(1, "full")
        self.make_nodes(1, "empty")
        self.fill("full-0", "1")
        controller = self.start_controller()
        self.make_job()
        first = self.settled()
        self.assertEqual(first["spec"]["nodeName"], "empty-0", "without a status it is placed as usual")
        self.assertEqual(first["metadata"]["labels"]["app"], "cache")
        owner, = first["metadata"]["ownerReferences"]
        self.assertEqual((owner["kind"], owner["name"], owner["controller"]), ("StickyJob", "cache", True))
        # From now on everybody else prefers the other node.
        self.fill("empty-0", "3")
        self.assertEqual(self.node_of_new(pod("other", scheduler="sticky-scheduler")), "full-0")
        again = self.deleted(first)
        self.assertEqual(again["spec"]["nodeName"], "empty-0")
        self.assertEqual(self.deleted(again)["spec"]["nodeName"], "empty-0")
        self.history.check()
        self.check_rights_were_enough(self.running, controller)

    def test_draining_its_node_moves_it_for_good(self):
        self.make_nodes(3)
        controller = self.start_controller()
        self.make_job()
        first = self.settled()
        left = first["spec"]["nodeName"]
        self.plane.kubectl("drain", left, "--grace-period=0", "--timeout=60s")
        moved = self.settled(first)
        self.assertNotEqual(moved["spec"]["nodeName"], left)
        # Its old node is the emptiest now.
        self.plane.kubectl("uncordon", left)
        for node in {"node-0", "node-1", "node-2"} - {left}:
            self.fill(node, "2")
        self.assertEqual(self.node_of_new(pod("other", scheduler="sticky-scheduler")), left)
        self.assertEqual(self.deleted(moved)["spec"]["nodeName"], moved["spec"]["nodeName"])
        self.history.check()
        self.check_rights_were_enough(self.running, controller)

    def test_the_controller_outlives_what_happens_to_it(self):
        self.make_nodes(5)
        proxy = self.start_proxy()
        controller = self.start_controller(proxy)
        self.make_job()
        latest = self.settled()
        node = latest["spec"]["nodeName"]
        self.fill(node, "3")

        def is_made_again(what):
            nonlocal latest
            latest = self.deleted(latest)
            self.assertEqual(latest["spec"]["nodeName"], node, what)

        proxy.cut_watches()
        is_made_again("watches ended")
        for counter, what, faults in (("gone", "the version is gone", {"goneNext": 4}),
                                      ("gone", "it is gone while watching", {"goneNext": 4, "goneInStream": True}),
                                      ("busy", "the server is busy", {"busyFraction": 0.3, "retryAfter": 1}),
                                      ("lost", "answers to its writes are lost", {"loseAnswers": 2, "loseResource": "pods"})):
            before = proxy.counters()[counter]
            proxy.set(**faults)
            # The controller may be about to begin its watches anew: then there is nothing to cut, and the fault comes later.
            for _ in range(20):
                proxy.cut_watches()
                is_made_again(what)
                if proxy.counters()[counter] > before:
                    break
            self.assertGreater(proxy.counters()[counter], before, what)
            proxy.clear()
        proxy.set(refuse=True)
        self.api.delete("pods", "cache", grace=0)
        proxy.set(refuse=False)
        latest = self.settled(latest)
        self.plane.restart_apiserver(kill=True)
        is_made_again("the server was away")
        controller.kill()
        self.api.delete("pods", "cache", grace=0)
        self.start_controller(proxy)
        latest = self.settled(latest)
        self.assertEqual(latest["spec"]["nodeName"], node, "the controller was away")
        self.history.check()

    def test_it_leaves_alone_what_is_not_its_own(self):
        self.make_nodes(2)
        self.api.create("pods", pod("cache"))
        controller = self.start_controller()
        self.make_job()
        wait_until(lambda: "already exists" in controller.log_text(), "the controller to find the name taken")
        self.check_untouched("cache")
        theirs = self.api.get("pods", "cache")
        self.api.delete("pods", "cache", grace=0)
        ours = self.settled(theirs)
        self.assertNotEqual(ours["metadata"]["uid"], theirs["metadata"]["uid"])
        # Without the job, nobody asks for a pod. What is seen of another one, which comes later, comes after both deletions.
        self.api.delete("stickyjobs", "cache")
        self.plane.kubectl("apply", "-f", self.renamed_job("another"))
        self.wait_bound(["another"])
        self.api.delete("pods", "cache", grace=0)
        uid = self.api.delete("pods", "another", grace=0)["metadata"]["uid"]
        self.wait_pod("another", lambda pod: pod["metadata"]["uid"] != uid, "to be made again")
        self.assertNotIn("cache", self.history.latest())
        self.assertEqual(controller.stop(), 0)

    def renamed_job(self, name):
        text = (self.FOLDER / "deploy/stickyjob.yaml").read_text()
        file = self.scratch / f"{name}.yaml"
        file.write_text(text.replace("name: cache\nspec", f"name: {name}\nspec"))
        return str(file)
