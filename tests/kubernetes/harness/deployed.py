# SPDX-License-Identifier: Apache-2.0
"""What a sample's manifest puts into the cluster, for a program that runs as the pod of its Deployment would."""
import json


class Deployed:
    """Applies the files. There is no kubelet: the test runs the program, as the Deployment's service account, with its
    arguments and the files of its ConfigMap, which are written to `folder`."""

    def __init__(self, plane, folder, *files):
        self._plane, self._folder = plane, folder
        applied = json.loads(plane.kubectl("apply", "-o", "json", *(word for file in files for word in ("-f", str(file)))))
        self._objects = applied.get("items", [applied])
        self._spec = self.only("Deployment")["spec"]["template"]["spec"]
        self.files = {}
        for config in self._of("ConfigMap"):
            for name, text in config["data"].items():
                self.files[name] = folder / name
                self.files[name].write_text(text)

    def _of(self, kind):
        return [obj for obj in self._objects if obj["kind"] == kind]

    def only(self, kind):
        found, = self._of(kind)
        return found

    def kubeconfig(self, proxy=None):
        """For the Deployment's service account, through the proxy if there is one."""
        name = self._spec["serviceAccountName"]
        account = next(obj["metadata"] for obj in self._of("ServiceAccount") if obj["metadata"]["name"] == name)
        token = self._plane.api.service_account_token(account["namespace"], name)
        return proxy.kubeconfig(token) if proxy else self._plane.kubeconfig(f"{name}.kubeconfig", token)

    def program(self):
        """The name of the first container's program."""
        return self._spec["containers"][0]["command"][0]

    def flags(self):
        """The arguments of the first container, but for --config."""
        container = self._spec["containers"][0]
        words = container.get("command", [])[1:] + container.get("args", [])
        return [word for word in words if not word.startswith("--config=")]

    def config(self, kubeconfig, file=None, replaced=None):
        """The configuration that the Deployment names, or `file` in its stead, with the cluster to reach, and each key of
        `replaced` in it replaced by its value."""
        if file is None:
            container = self._spec["containers"][0]
            words = container.get("command", []) + container.get("args", [])
            file = self.files[next(word for word in words if word.startswith("--config=")).rpartition("/")[2]]
        text = file.read_text()
        for old, new in (replaced or {}).items():
            assert old in text, f"{file} has no {old}"
            text = text.replace(old, new)
        used = self._folder / "used-config.yaml"
        used.write_text(text + f"clientConnection: {{kubeconfig: {kubeconfig}, qps: 500, burst: 500}}\n")
        return used


def pod_of(deployment, name):
    """A pod as the Deployment's controller would make it."""
    template = deployment["spec"]["template"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**template["metadata"], "name": name}, "spec": template["spec"]}
