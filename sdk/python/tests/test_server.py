# SPDX-License-Identifier: Apache-2.0
import os
import stat
import tempfile
import unittest

import berth_plugin as berth
import grpc
from berth_plugin.contract import SERVICE, pb


class AllPass(berth.Plugin):
    def filter(self, cycle, pod, node):
        return None


def greet(target):
    with grpc.insecure_channel(target) as channel:
        session = channel.stream_stream(f"/{SERVICE}/Session", pb.SchedulerMessage.SerializeToString,
                                        pb.PluginMessage.FromString)
        answers = session(iter([pb.SchedulerMessage(hello=pb.Hello(major=1))]), timeout=60)
        return next(answers).welcome


class ServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "socket")

    def start(self, endpoint):
        server = berth.Server(AllPass, endpoint)
        server.start()
        return server

    def test_serves_unix_sockets_of_this_user(self):
        server = self.start("unix://" + self.path)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        self.assertEqual(greet("unix:" + self.path).name, "AllPass")
        with self.assertRaisesRegex(OSError, "another process listens at " + self.path):
            self.start("unix://" + self.path)
        server.stop()
        self.assertFalse(os.path.exists(self.path))

    def test_serves_ports_of_this_machine(self):
        server = self.start("tcp://127.0.0.1:0")
        self.addCleanup(server.stop)
        self.assertNotIn(":0", server.endpoint)
        self.assertEqual(greet(server.endpoint[len("tcp://"):]).name, "AllPass")

    def test_endpoints_that_cannot_be_served(self):
        for endpoint, problem in {
            "/tmp/x": "'/tmp/x' is no endpoint: it begins with none of unix://, tcp:// and tls://",
            "tcp://0.0.0.0:1": "tcp://0.0.0.0:1 can be reached by other machines: it needs TLS, as tls://",
            "tls://localhost:0": "tls://localhost:0 needs --ca-file, --cert-file and --key-file: "
                                 "without them anyone could call",
        }.items():
            with self.assertRaises(ValueError) as refused:
                self.start(endpoint)
            self.assertEqual(str(refused.exception), problem)
        os.environ.pop("BERTH_PLUGIN_ENDPOINT", None)
        with self.assertRaisesRegex(ValueError, "BERTH_PLUGIN_ENDPOINT"):
            berth.Server(AllPass)


if __name__ == "__main__":
    unittest.main()
