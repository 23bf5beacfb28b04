# SPDX-License-Identifier: Apache-2.0
"""Plays the controllers that volumes need: an external provisioner, and the one that completes bindings."""
import threading

from .api import ApiError, Stop
from .objects import volume

SELECTED_NODE = "volume.kubernetes.io/selected-node"


class VolumeController:
    """Provisions a volume for every claim of class `storage_class` for which the scheduler selected a node, except on nodes
    in `refused`, where it asks for another choice. Completes the binding of claims that a volume refers to."""

    def __init__(self, api, storage_class):
        self._api, self._class = api, storage_class
        self.refused = set()
        self.selections = []  # (claim, node), as they came
        self.errors = []
        self._stop = Stop()
        self._threads = [threading.Thread(target=self._follow, args=work, daemon=True)
                         for work in (("persistentvolumeclaims", self._claim), ("persistentvolumes", self._volume))]
        for thread in self._threads:
            thread.start()

    def _follow(self, resource, act):
        for kind, obj in self._api.watch(resource, None, self._stop):
            if kind != "DELETED":
                try:
                    act(obj)
                except ApiError as error:
                    if error.code not in (404, 409):
                        self.errors.append(str(error))

    def _claim(self, claim):
        meta, node = claim["metadata"], claim["metadata"].get("annotations", {}).get(SELECTED_NODE)
        if claim["spec"].get("storageClassName") != self._class or not node or claim["spec"].get("volumeName"):
            return
        self.selections.append((meta["name"], node))
        if node in self.refused:
            self._api.patch("persistentvolumeclaims", meta["name"], {"metadata": {"annotations": {SELECTED_NODE: None}}},
                            meta["namespace"])
            return
        self._api.create("persistentvolumes", volume(
            f"pv-{meta['name']}", self._class, claim["spec"]["resources"]["requests"]["storage"], node,
            claim={key: meta[key] for key in ("name", "namespace", "uid")}, driver="driver.example.com"))

    def _volume(self, pv):
        ref, phase, name = pv["spec"].get("claimRef"), pv.get("status", {}).get("phase"), pv["metadata"]["name"]
        if not ref and phase != "Available":
            self._api.patch("persistentvolumes", name, {"status": {"phase": "Available"}}, subresource="status")
        if not ref or phase == "Bound":
            return
        self._api.patch("persistentvolumeclaims", ref["name"], {
            "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes",
                                         "pv.kubernetes.io/bound-by-controller": "yes"}},
            "spec": {"volumeName": name}}, ref["namespace"])
        self._api.patch("persistentvolumes", name, {"status": {"phase": "Bound"}}, subresource="status")
        self._api.patch("persistentvolumeclaims", ref["name"], {"status": {
            "phase": "Bound", "accessModes": pv["spec"]["accessModes"], "capacity": pv["spec"]["capacity"]}},
            ref["namespace"], "status")

    def stop(self):
        self._stop.set()
        for thread in self._threads:
            thread.join(10)
