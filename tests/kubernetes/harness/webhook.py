# SPDX-License-Identifier: Apache-2.0
"""An admission webhook of the test's own."""
import base64
import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .api import ApiError
from .waiting import wait_until


class DeletionWebhook:
    """Denies the deletion of pods until allow() is called. `denied` lists the pods it protected."""

    def __init__(self, plane):
        self.denied = []
        self._allowed = False
        self._api = plane.api
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(plane.scratch / "tls.crt", plane.scratch / "tls.key")
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        ca = base64.b64encode(Path(plane.scratch / "ca.crt").read_bytes()).decode()
        plane.api.create("validatingwebhookconfigurations", {
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
            "metadata": {"name": "no-deletions"},
            "webhooks": [{
                "name": "no-deletions.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                "failurePolicy": "Fail",
                "clientConfig": {"url": f"https://127.0.0.1:{self._server.server_port}/", "caBundle": ca},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["pods"]}],
            }]})
        wait_until(self._asked, "the API server to ask the webhook")
        self.denied.clear()

    def _asked(self):
        """API servers learn of a webhook a moment after it is created. Whether a deletion is denied tells; the pod exists
        only to be deleted, and is scheduled by nobody."""
        probe = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "webhook-probe", "namespace": "default"},
                 "spec": {"schedulerName": "nobody", "containers": [{"name": "main", "image": "none"}]}}
        try:
            self._api.create("pods", probe)
            self._api.delete("pods", "webhook-probe", grace=0)
        except ApiError:
            pass
        if not self.denied:
            return False
        self._allowed = True
        self._api.delete("pods", "webhook-probe", grace=0)
        self._allowed = False
        return True

    def _handler(webhook):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request = review["request"]
                if not webhook._allowed:
                    webhook.denied.append(request["name"])
                answer = {"uid": request["uid"], "allowed": webhook._allowed}
                if not webhook._allowed:
                    answer["status"] = {"code": 403, "message": "deletions are not welcome here"}
                text = json.dumps({"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": answer}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass
        return Handler

    def allow(self):
        self._allowed = True

    def stop(self):
        self._server.shutdown()
