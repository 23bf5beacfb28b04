# SPDX-License-Identifier: Apache-2.0
"""A small client of the API server: JSON over HTTP/1.1, one connection per thread."""
import http.client
import json
import socket
import ssl
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"

# Plural name -> (group and version, namespaced)
RESOURCES = {
    "nodes": ("v1", False),
    "namespaces": ("v1", False),
    "pods": ("v1", True),
    "services": ("v1", True),
    "replicationcontrollers": ("v1", True),
    "persistentvolumes": ("v1", False),
    "persistentvolumeclaims": ("v1", True),
    "configmaps": ("v1", True),
    "secrets": ("v1", True),
    "serviceaccounts": ("v1", True),
    "events": ("events.k8s.io/v1", True),
    "leases": ("coordination.k8s.io/v1", True),
    "poddisruptionbudgets": ("policy/v1", True),
    "priorityclasses": ("scheduling.k8s.io/v1", False),
    "storageclasses": ("storage.k8s.io/v1", False),
    "csinodes": ("storage.k8s.io/v1", False),
    "csidrivers": ("storage.k8s.io/v1", False),
    "csistoragecapacities": ("storage.k8s.io/v1", True),
    "volumeattachments": ("storage.k8s.io/v1", False),
    "validatingwebhookconfigurations": ("admissionregistration.k8s.io/v1", False),
    "clusterroles": ("rbac.authorization.k8s.io/v1", False),
    "clusterrolebindings": ("rbac.authorization.k8s.io/v1", False),
    "roles": ("rbac.authorization.k8s.io/v1", True),
    "rolebindings": ("rbac.authorization.k8s.io/v1", True),
    "stickyjobs": ("example.com/v1", True),
}


class Stop:
    """Ends watches from another thread."""

    def __init__(self):
        self._event = threading.Event()
        self._sockets = set()

    def is_set(self):
        return self._event.is_set()

    def wait(self, seconds):
        return self._event.wait(seconds)

    def set(self):
        self._event.set()
        for sock in list(self._sockets):
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # Closed meanwhile.

    def add(self, sock):
        self._sockets.add(sock)
        if self.is_set():
            self.set()

    def remove(self, sock):
        self._sockets.discard(sock)


class ApiError(Exception):
    """The API server refused: `code` is the HTTP status, `status` the Status object it answered with."""

    def __init__(self, method, path, code, status):
        self.code = code
        self.status = status if isinstance(status, dict) else {}
        super().__init__(f"{method} {path}: {code} {self.status.get('message', status)}")


class Api:
    """Speaks to the server at https://127.0.0.1:`port`. Any thread may call it."""

    def __init__(self, port, token, ca_file, timeout=60):
        self.port, self.token, self.timeout = port, token, timeout
        self._tls = ssl.create_default_context(cafile=ca_file)
        self._connections = threading.local()

    def request(self, method, path, body=None, content_type="application/json"):
        """The decoded answer. A kept connection that the server closed meanwhile is opened again once, for any method:
        tests talk to the API server directly, and a write that was applied shows as a conflict."""
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json"}
        data = None
        if body is not None:
            data = json.dumps(body)
            headers["Content-Type"] = content_type
        for last in (False, True):
            connection = getattr(self._connections, "it", None)
            fresh = connection is None
            if fresh:
                connection = self._connections.it = self._connect()
            try:
                connection.request(method, path, body=data, headers=headers)
                answer = connection.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                self._connections.it = None
                if last or fresh:
                    raise
        try:
            value = json.loads(text) if text else None
        except ValueError:
            value = text.decode(errors="replace")
        if answer.status >= 400:
            raise ApiError(method, path, answer.status, value)
        return value

    def _connect(self):
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=self.timeout, context=self._tls)

    @staticmethod
    def path(resource, namespace=None, name=None, subresource=None, **query):
        version, namespaced = RESOURCES[resource]
        parts = ["/api" if version == "v1" else "/apis", version]
        if namespaced and namespace:
            parts += ["namespaces", namespace]
        parts += [part for part in (resource, name, subresource) if part]
        return "/".join(parts) + ("?" + urllib.parse.urlencode(query) if query else "")

    def create(self, resource, obj, namespace=None, subresource=None, name=None):
        namespace = namespace or obj["metadata"].get("namespace", "default")
        return self.request("POST", self.path(resource, namespace, name, subresource), obj)

    def create_all(self, resource, objects, threads=8):
        """Creates many objects at once; raises the first error."""
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda obj: self.create(resource, obj), objects))

    def get(self, resource, name, namespace="default"):
        return self.request("GET", self.path(resource, namespace, name))

    def find(self, resource, name, namespace="default"):
        """The object, or None where there is none."""
        try:
            return self.get(resource, name, namespace)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def list(self, resource, namespace=None, **query):
        return self.request("GET", self.path(resource, namespace, **query))["items"]

    def patch(self, resource, name, patch, namespace="default", subresource=None, content_type=MERGE):
        return self.request("PATCH", self.path(resource, namespace, name, subresource), patch, content_type)

    def replace(self, resource, obj, subresource=None):
        meta = obj["metadata"]
        return self.request("PUT", self.path(resource, meta.get("namespace"), meta["name"], subresource), obj)

    def service_account_token(self, namespace, name):
        """A token of an account that exists."""
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 3600}}
        path = self.path("serviceaccounts", namespace, name, "token")
        return self.request("POST", path, request)["status"]["token"]

    def delete(self, resource, name, namespace="default", grace=None):
        body = None if grace is None else {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": grace}
        return self.request("DELETE", self.path(resource, namespace, name), body)

    def bind(self, pod, node, namespace="default"):
        """Binds as a scheduler does."""
        binding = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod, "namespace": namespace},
                   "target": {"apiVersion": "v1", "kind": "Node", "name": node}}
        return self.create("pods", binding, namespace, "binding", pod)

    def watch(self, resource, namespace=None, stop=None, on_listed=lambda: None):
        """Yields (type, object) for all that is there, calls `on_listed`, then yields every change, until `stop` is set. Goes on
        by itself after the server went away or forgot the version; then objects that are still there come again as ADDED, and
        those that vanished as DELETED with their last known state, and `on_listed` is called again."""
        stop = stop or Stop()
        known, version = {}, None
        while not stop.is_set():
            try:
                if version is None:
                    listed = self.request("GET", self.path(resource, namespace))
                    version = listed["metadata"]["resourceVersion"]
                    now = {item["metadata"]["uid"]: item for item in listed["items"]}
                    for uid in [uid for uid in known if uid not in now]:
                        yield "DELETED", known.pop(uid)
                    for uid, item in now.items():
                        known[uid] = item
                        yield "ADDED", item
                    on_listed()
                for event in self._watch_once(resource, namespace, version, stop):
                    obj = event["object"]
                    if event["type"] == "ERROR":
                        version = None
                        break
                    version = obj["metadata"]["resourceVersion"]
                    if event["type"] == "BOOKMARK":
                        continue
                    if event["type"] == "DELETED":
                        known.pop(obj["metadata"]["uid"], None)
                    else:
                        known[obj["metadata"]["uid"]] = obj
                    yield event["type"], obj
            except ApiError as error:
                if error.code == 410:
                    version = None
                elif error.code not in (429, 500, 503, 504):
                    raise
                stop.wait(0.1)
            except (OSError, http.client.HTTPException, ValueError):
                stop.wait(0.1)

    def _watch_once(self, resource, namespace, version, stop):
        # Bookmarks come every minute.
        connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=120, context=self._tls)
        path = self.path(resource, namespace, watch="1", resourceVersion=version, allowWatchBookmarks="true")
        connection.connect()
        sock = connection.sock
        stop.add(sock)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
            answer = connection.getresponse()
            if answer.status != 200:
                raise ApiError("GET", path, answer.status, json.loads(answer.read() or b"{}"))
            while line := answer.readline():
                yield json.loads(line)
        finally:
            stop.remove(sock)
            connection.close()
