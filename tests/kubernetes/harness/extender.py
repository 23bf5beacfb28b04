# SPDX-License-Identifier: Apache-2.0
"""The extender of extender_program.py, as a process."""
import json
import subprocess
import sys
import urllib.request
from pathlib import Path


class Extender:
    def __init__(self, port=0):
        program = Path(__file__).with_name("extender_program.py")
        self._process = subprocess.Popen([sys.executable, str(program), str(port)], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, text=True)
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/"

    def _ask(self, path, body=None):
        with urllib.request.urlopen(self.url + path, body, timeout=30) as answer:
            return json.load(answer)

    def behave(self, mode):
        self._ask("control", json.dumps({"mode": mode}).encode())

    def requests(self, verb=None, pod=None):
        """What it was asked, oldest first: all, or those to a verb, or about a pod."""
        return [request["question"] for request in self._ask("requests")
                if verb in (None, request["path"].strip("/")) and pod in (None, request["question"]["Pod"]["metadata"]["name"])]

    def kill(self):
        self._process.kill()
        self._process.wait()

    def stop(self):
        if self._process.poll() is None:
            self._process.stdin.close()
            self._process.wait()
