# SPDX-License-Identifier: Apache-2.0
"""Ways to an API server that are not the usual one."""
import json

from harness.objects import pod
from harness.programs import Program, free_ports, program
from harness.scenario import Scenario, short


class Access(Scenario):
    @short
    def test_through_kubectl_proxy(self):
        """kubectl proxy speaks HTTP/1.1 in clear text. When it is started again, the scheduler goes on."""
        self.make_nodes(5, cpu="64", memory="256Gi", pods="1000")
        port, = free_ports(1)
        kubeconfig = self.scratch / "by-proxy.kubeconfig"
        kubeconfig.write_text(json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "proxy",
            "clusters": [{"name": "proxy", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
            "contexts": [{"name": "proxy", "context": {"cluster": "proxy", "user": ""}}]}))
        by_proxy = self.start_kubectl_proxy(port, "first")
        self.start_scheduler(kubeconfig=str(kubeconfig))
        first, second = [f"first-{i}" for i in range(100)], [f"second-{i}" for i in range(100)]
        self.api.create_all("pods", [pod(name, cpu="10m") for name in first])
        self.wait_bound(first)
        by_proxy.stop()
        self.api.create_all("pods", [pod(name, cpu="10m") for name in second])
        self.start_kubectl_proxy(port, "second")
        self.wait_bound(first + second, timeout=60)
        self.history.check()

    def start_kubectl_proxy(self, port, name):
        made = Program([program("kubectl"), f"--kubeconfig={self.plane.kubeconfig()}", "proxy", f"--port={port}"],
                       self.scratch / f"kubectl-proxy-{name}.log")
        self.addCleanup(made.stop)
        return made
