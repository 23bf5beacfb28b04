#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The controller of StickyJobs: each has one pod, and `status.lastNode` tells where it ran last.

controller.py                      in a cluster, as the service account of its pod
controller.py --kubeconfig FILE    anywhere else
controller.py --server URL         through `kubectl proxy`

The pod has its StickyJob's name, so there are never two, whatever this program has not seen yet. A pod that is deleted is made
again from the template as it is then. One that ended by itself stays until it is deleted.
"""
import argparse
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.parse

from api_server import MERGE_PATCH, ApiServer, from_kubeconfig, in_cluster

GROUP_VERSION = "example.com/v1"
# Only pods with this label are watched.
LABEL = "example.com/sticky-job"
FIRST_DELAY, LONGEST_DELAY = 0.5, 60.0


def key_of(obj):
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


def owner_of(pod):
    """The uid of the StickyJob that the pod belongs to, or None."""
    for owner in pod["metadata"].get("ownerReferences", []):
        if owner["kind"] == "StickyJob" and owner["apiVersion"].startswith("example.com/"):
            return owner["uid"]
    return None


def pod_of(job):
    """The pod that the StickyJob wants."""
    template = job["spec"]["template"]
    about = template.get("metadata", {})
    namespace, name = key_of(job)
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "name": name, "namespace": namespace, "annotations": about.get("annotations", {}),
            "labels": {**about.get("labels", {}), LABEL: "true"},
            "ownerReferences": [{"apiVersion": GROUP_VERSION, "kind": "StickyJob", "name": name,
                                 "uid": job["metadata"]["uid"], "controller": True}],
        },
        "spec": template.get("spec", {}),
    }


class Agenda:
    """Keys to be looked at, each once, when they are due. Any thread may add some."""

    def __init__(self):
        self._due, self._changed = {}, threading.Condition()

    def add(self, key, delay=0.0):
        with self._changed:
            at = time.monotonic() + delay
            self._due[key] = min(at, self._due.get(key, at))
            self._changed.notify()

    def take(self):
        """Waits for the next one."""
        with self._changed:
            while True:
                key = min(self._due, key=self._due.get, default=None)
                wait = None if key is None else self._due[key] - time.monotonic()
                if key is not None and wait <= 0:
                    del self._due[key]
                    return key
                self._changed.wait(wait)


class Seen:
    """The objects of a kind as the server last told them, by namespace and name. Changes are put on the agenda."""

    def __init__(self, agenda, on_seen=lambda obj: None):
        self._agenda, self._on_seen = agenda, on_seen
        self._objects, self._lock = {}, threading.Lock()
        self.listed = threading.Event()

    def find(self, key):
        with self._lock:
            return self._objects.get(key)

    def replace(self, objects):
        with self._lock:
            before = self._objects
            self._objects = {key_of(obj): obj for obj in objects}
        for obj in objects:
            self._on_seen(obj)
        for key in before.keys() | self._objects.keys():
            self._agenda.add(key)
        self.listed.set()

    def change(self, kind, obj):
        self._on_seen(obj)
        with self._lock:
            if kind == "DELETED":
                self._objects.pop(key_of(obj), None)
            else:
                self._objects[key_of(obj)] = obj
        self._agenda.add(key_of(obj))


class Controller:
    """Brings every StickyJob's pod and status to what they should be. One thread looks at the jobs, and one each follows a
    kind."""

    def __init__(self, server, namespace=None):
        self._server, self._namespace = server, namespace
        self._agenda = Agenda()
        # Key -> (uid of the StickyJob, the node where its pod was seen last); outlives the pod. Written by the thread that
        # follows pods, dropped by the one that looks at jobs.
        self._nodes = {}
        self._jobs = Seen(self._agenda)
        self._pods = Seen(self._agenda, self._note_node)
        self._failures = {}

    def run(self):
        self._follow(self._path("/apis/" + GROUP_VERSION, "stickyjobs", self._namespace), self._jobs)
        self._follow(self._path("/api/v1", "pods", self._namespace), self._pods, {"labelSelector": LABEL})
        # Who knows one kind only would make pods that are there, or forget nodes.
        for seen in (self._jobs, self._pods):
            seen.listed.wait()
        logging.info("follows StickyJobs and their pods")
        while True:
            key = self._agenda.take()
            try:
                self._settle(key)
                self._failures.pop(key, None)
            except Exception as error:  # Whatever is wrong with one must not stop the others.
                times = self._failures.get(key, 0)
                self._failures[key] = times + 1
                logging.warning("StickyJob %s/%s: %r", *key, error)
                self._agenda.add(key, min(FIRST_DELAY * 2 ** min(times, 10), LONGEST_DELAY))

    def _follow(self, path, seen, query=None):
        def follow():
            try:
                self._server.follow(path, seen.replace, seen.change, query)
            except BaseException:  # A controller that follows nothing must not look alive.
                logging.exception("following %s", path)
                os._exit(1)
        threading.Thread(target=follow, daemon=True).start()

    def _note_node(self, pod):
        if node := pod["spec"].get("nodeName"):
            self._nodes[key_of(pod)] = owner_of(pod), node

    def _settle(self, key):
        job, pod = self._jobs.find(key), self._pods.find(key)
        if job is None:
            self._nodes.pop(key, None)
            return
        if job["metadata"].get("deletionTimestamp"):
            return
        # First what the old pod has told: the scheduler is to know it when it sees the new one.
        uid = job["metadata"]["uid"]
        owner, node = self._nodes.get(key, (None, None))
        if owner == uid and node != job.get("status", {}).get("lastNode"):
            self._server.request("PATCH", self._path("/apis/" + GROUP_VERSION, "stickyjobs", *key) + "/status",
                                 {"metadata": {"uid": uid}, "status": {"lastNode": node}}, MERGE_PATCH)
            logging.info("StickyJob %s/%s: runs on %s", *key, node)
        if pod is None:
            self._server.request("POST", self._path("/api/v1", "pods", key[0]), pod_of(job))
            logging.info("StickyJob %s/%s: made its pod", *key)
        elif owner_of(pod) != uid:
            logging.warning("StickyJob %s/%s: a pod of this name belongs to somebody else", *key)

    @staticmethod
    def _path(api, plural, namespace=None, name=None):
        parts = [api] + (["namespaces", namespace] if namespace else []) + [plural] + ([name] if name else [])
        return "/".join([parts[0], *(urllib.parse.quote(part) for part in parts[1:])])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--kubeconfig", metavar="FILE")
    where.add_argument("--server", metavar="URL")
    parser.add_argument("--namespace", help="only StickyJobs of this namespace")
    return parser.parse_args()


def main():
    given = arguments()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # As the first process of a container it would not hear it otherwise.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        server = (ApiServer(given.server) if given.server else
                  from_kubeconfig(given.kubeconfig) if given.kubeconfig else in_cluster())
    except (OSError, ValueError, LookupError, subprocess.SubprocessError) as error:
        sys.exit(f"controller.py: cannot tell how to reach the API server: {error}")
    Controller(server, given.namespace).run()


if __name__ == "__main__":
    main()
