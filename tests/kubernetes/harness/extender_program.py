# SPDX-License-Identifier: Apache-2.0
"""A scheduler extender that can be told to misbehave. Run as a program of its own: it prints its port, and ends with its standard input.

POST /filter and /prioritize are the extender. It lets pass and prefers nodes by a hash of the names, so two schedulers are told the
same. POST /control with {"mode": MODE} changes how it answers from now on; GET /requests returns what it was asked.
"""
import hashlib
import json
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def number(*words):
    return int(hashlib.sha1(" ".join(words).encode()).hexdigest(), 16)


def names_of(question):
    if question.get("NodeNames") is not None:
        return question["NodeNames"]
    return [node["metadata"]["name"] for node in question["Nodes"]["items"]]


def filtered(question):
    pod, names = question["Pod"]["metadata"]["name"], names_of(question)
    # Half of them, and never none.
    passed = sorted(names, key=lambda name: number(pod, name))[:(len(names) + 1) // 2]
    answer = {"NodeNames": passed, "FailedNodes": {name: "not this one" for name in names if name not in passed}}
    if question.get("NodeNames") is None:
        answer = {"Nodes": {"items": [node for node in question["Nodes"]["items"] if node["metadata"]["name"] in passed]},
                  "FailedNodes": answer["FailedNodes"]}
    return answer


def prioritized(question):
    pod = question["Pod"]["metadata"]["name"]
    ranked = sorted(names_of(question), key=lambda name: number(name, pod))
    return [{"Host": name, "Score": min(rank, 10)} for rank, name in enumerate(ranked)]


class Extender(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    mode = "well"
    requests = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def do_GET(self):
        with self.lock:
            self.answer(200, json.dumps(self.requests).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/control":
            Extender.mode = json.loads(body)["mode"]
            self.answer(200, b"{}")
            return
        question = json.loads(body)
        with self.lock:
            self.requests.append({"path": self.path, "question": question})
        self.misbehave(self.mode, json.dumps(filtered(question) if self.path == "/filter" else prioritized(question)))

    def misbehave(self, mode, text):
        text = text.encode()
        if mode == "well":
            self.answer(200, text)
        elif mode == "slow":
            time.sleep(3)
            self.answer(200, text)
        elif mode == "500":
            self.answer(500, b"out of order")
        elif mode == "truncated":
            self.answer(200, text[:len(text) // 2])
        elif mode == "cut":
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text[:len(text) // 2])
            self.close_connection = True
        elif mode == "unknown nodes":
            self.answer(200, b'{"NodeNames": ["nowhere"], "Nodes": {"items": [{"metadata": {"name": "nowhere"}}]}}')
        elif mode == "error":
            self.answer(200, b'{"Error": "not today"}')
        elif mode == "10 MB":
            self.answer(200, text[:-1] + b" " * 10_000_000 + text[-1:])
        elif mode == "endless":
            self.send_response(200)
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b" " * 65536)
            except OSError:
                self.close_connection = True

    def answer(self, status, text):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        try:
            self.wfile.write(text)
        except OSError:
            self.close_connection = True


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # clients that give up are what this is for


if __name__ == "__main__":
    server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Extender)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_port, flush=True)
    sys.stdin.read()
