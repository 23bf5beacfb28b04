# SPDX-License-Identifier: Apache-2.0
"""What a controller needs of an API server: requests, and following a kind by list and watch."""
import atexit
import base64
import http.client
import json
import logging
import os
import ssl
import subprocess
import tempfile
import time
import urllib.parse
from pathlib import Path

SERVICE_ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
REQUEST_SECONDS = 30
# The server ends a watch after this time, and it goes on from where it was; one that is silent for much longer is dead.
WATCH_SECONDS = 240
MERGE_PATCH = "application/merge-patch+json"


class ApiError(Exception):
    """The server refused: `code` is the HTTP status."""

    def __init__(self, code, message):
        self.code = code
        super().__init__(f"{code}: {message}")


def _message(text):
    """The message of a Status object, or the text itself."""
    try:
        return json.loads(text)["message"]
    except (ValueError, KeyError, TypeError):
        return text.decode(errors="replace").strip()


class ApiServer:
    """The server at `url`. `token` is a function, for tokens are renewed. Any thread may call it."""

    def __init__(self, url, tls=None, token=lambda: None):
        self._url, self._tls, self._token = urllib.parse.urlsplit(url), tls, token

    def request(self, method, path, body=None, content_type="application/json"):
        """The decoded answer; raises ApiError, or OSError and HTTPException when there is none."""
        connection = self._connect(REQUEST_SECONDS)
        try:
            data = None if body is None else json.dumps(body)
            return json.loads(self._send(connection, method, path, data, content_type).read())
        finally:
            connection.close()

    def follow(self, path, on_list, on_event, query=None):
        """Calls `on_list(objects)` with all that is there, then `on_event(type, object)` for every change; again `on_list`
        when the server has forgotten where we were. Never returns: what goes wrong is logged, and tried again."""
        version = None
        while True:
            try:
                if version is None:
                    listed = self.request("GET", self._with_query(path, query))
                    on_list(listed["items"])
                    version = listed["metadata"]["resourceVersion"]
                for kind, obj in self._watch(path, {**(query or {}), "resourceVersion": version}):
                    if kind == "ERROR":
                        raise ApiError(obj.get("code", 500), obj.get("message", ""))
                    if kind != "BOOKMARK":
                        on_event(kind, obj)
                    version = obj["metadata"]["resourceVersion"]
            except ApiError as error:
                if error.code == 410:
                    version = None
                logging.warning("watching %s: %s", path, error)
            except (OSError, http.client.HTTPException, ValueError) as error:
                logging.warning("watching %s: %r", path, error)
            time.sleep(1)

    def _watch(self, path, query):
        connection = self._connect(WATCH_SECONDS + REQUEST_SECONDS)
        try:
            query = {**query, "watch": "true", "allowWatchBookmarks": "true", "timeoutSeconds": WATCH_SECONDS}
            answer = self._send(connection, "GET", self._with_query(path, query))
            while line := answer.readline():
                event = json.loads(line)
                yield event["type"], event["object"]
        finally:
            connection.close()

    def _send(self, connection, method, path, data=None, content_type="application/json"):
        headers = {"Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = content_type
        if token := self._token():
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, self._url.path.rstrip("/") + path, data, headers)
        answer = connection.getresponse()
        if answer.status >= 400:
            raise ApiError(answer.status, _message(answer.read()))
        return answer

    def _connect(self, timeout):
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(self._url.hostname, self._url.port, timeout=timeout, context=self._tls)
        return http.client.HTTPConnection(self._url.hostname, self._url.port, timeout=timeout)

    @staticmethod
    def _with_query(path, query):
        return path + ("?" + urllib.parse.urlencode(query) if query else "")


def in_cluster():
    """The server of the cluster that this program runs in, as its service account."""
    if "KUBERNETES_SERVICE_HOST" not in os.environ:
        raise LookupError("this is no pod of a cluster: --kubeconfig or --server is needed")
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
    host = f"[{host}]" if ":" in host else host
    tls = ssl.create_default_context(cafile=SERVICE_ACCOUNT / "ca.crt")
    return ApiServer(f"https://{host}:{port}", tls, lambda: (SERVICE_ACCOUNT / "token").read_text().strip())


def from_kubeconfig(file):
    """The server of the file's current context. A file that is not JSON is read by kubectl."""
    text = Path(file).read_text()
    try:
        config = json.loads(text)
    except ValueError:
        command = ["kubectl", "config", "view", "--kubeconfig", file, "--raw", "--flatten", "-o", "json"]
        config = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)

    def named(kind, name):
        for entry in config.get(kind + "s", []):
            if entry["name"] == name:
                return entry[kind]
        raise LookupError(f"{file} has no {kind} {name}")
    context = named("context", config["current-context"])
    cluster, user = named("cluster", context["cluster"]), named("user", context["user"])
    if "exec" in user or "auth-provider" in user:
        raise ValueError(f"{file} gets its credentials from a program: run `kubectl proxy` and use --server")

    def token():
        return Path(user["tokenFile"]).read_text().strip() if "tokenFile" in user else user.get("token")
    return ApiServer(cluster["server"], _tls_of(cluster, user), token)


def _tls_of(cluster, user):
    tls = ssl.create_default_context(cafile=_file_of(cluster, "certificate-authority"))
    if cluster.get("insecure-skip-tls-verify"):
        tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
    if certificate := _file_of(user, "client-certificate"):
        tls.load_cert_chain(certificate, _file_of(user, "client-key"))
    return tls


def _file_of(entry, field):
    """The file that the field names, or one of ours with the data that the entry itself holds; None when there is neither."""
    if field + "-data" not in entry:
        return entry.get(field)
    with tempfile.NamedTemporaryFile(delete=False) as out:
        out.write(base64.b64decode(entry[field + "-data"]))
    atexit.register(Path(out.name).unlink, missing_ok=True)
    return out.name
