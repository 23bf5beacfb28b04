# SPDX-License-Identifier: Apache-2.0
"""Serves sessions by gRPC."""
import argparse
import concurrent.futures
import ipaddress
import logging
import os
import queue
import signal
import socket
import stat
import sys
import threading

import grpc

from .contract import SERVICE, pb
from .session import Session

_MAX_MESSAGE_BYTES = 64 << 20
_MAX_SESSIONS = 32
_OPTIONS = [
    ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    ("grpc.http2.lookahead_bytes", 4 << 20),
    # A fixed window: nothing is measured by PINGs, which would delay calls.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 60_000),
    ("grpc.so_reuseport", 0),
]


class Server:
    """A plugin's server: runs from start to stop. `open_plugin` is a plugin's class, or makes one of a session."""

    def __init__(self, open_plugin, endpoint=None, ca_file=None, cert_file=None, key_file=None):
        """`endpoint` is "unix:///path", "tcp://127.0.0.1:port" or "tls://host:port"; without one, it is what the
        scheduler that has launched the program has put into BERTH_PLUGIN_ENDPOINT. For tls://, files in PEM: who
        certifies schedulers, and who we are."""
        self.endpoint = endpoint or os.environ.get("BERTH_PLUGIN_ENDPOINT")
        if not self.endpoint:
            raise ValueError("no endpoint: the scheduler sets BERTH_PLUGIN_ENDPOINT, by hand it is --endpoint")
        self._open = open_plugin
        self._files = (ca_file, cert_file, key_file)
        self._socket_path = None
        # A thread for each session, as long as it lasts.
        workers = concurrent.futures.ThreadPoolExecutor(max_workers=_MAX_SESSIONS)
        self._server = grpc.server(workers, options=_OPTIONS, maximum_concurrent_rpcs=_MAX_SESSIONS)
        method = grpc.stream_stream_rpc_method_handler(
            self._serve, request_deserializer=pb.SchedulerMessage.FromString,
            response_serializer=pb.PluginMessage.SerializeToString)
        self._server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, {"Session": method})])

    def start(self):
        """Serves from now on; `endpoint` has the port then that was chosen."""
        scheme, separator, rest = self.endpoint.partition("://")
        if not separator or scheme not in ("unix", "tcp", "tls"):
            raise ValueError(f"{self.endpoint!r} is no endpoint: it begins with none of unix://, tcp:// and tls://")
        if scheme == "unix":
            self._listen_unix(rest)
        else:
            credentials = self._credentials() if scheme == "tls" else None
            if scheme == "tcp":
                _check_local(self.endpoint, rest)
            add = self._server.add_insecure_port
            port = add(rest) if credentials is None else self._server.add_secure_port(rest, credentials)
            if port == 0:
                raise OSError(f"cannot listen at {self.endpoint}")
            self.endpoint = f"{scheme}://{rest.rpartition(':')[0]}:{port}"
        self._server.start()

    def stop(self):
        self._server.stop(grace=None).wait()
        if self._socket_path is not None and os.path.exists(self._socket_path):
            os.unlink(self._socket_path)

    def _listen_unix(self, path):
        """Only this user may connect. A socket that nobody listens to any more is replaced."""
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(path) == 0:
                raise OSError(f"another process listens at {path}")
        if os.path.exists(path) and stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
        before = os.umask(0o177)
        try:
            if self._server.add_insecure_port("unix:" + path) == 0:
                raise OSError(f"cannot listen at {path}")
        finally:
            os.umask(before)
        self._socket_path = path

    def _credentials(self):
        if not all(self._files):
            raise ValueError(f"{self.endpoint} needs --ca-file, --cert-file and --key-file: "
                             "without them anyone could call")
        texts = []
        for name in self._files:
            with open(name, "rb") as file:
                texts.append(file.read())
        ca, cert, key = texts
        return grpc.ssl_server_credentials([(key, cert)], root_certificates=ca, require_client_auth=True)

    def _serve(self, requests, context):
        """One session: messages are taken on a thread of its own, while this one sends."""
        outgoing = queue.SimpleQueue()
        session = Session(self._open, outgoing.put)

        def take_all():
            try:
                for message in requests:
                    session.take(message)
            except grpc.RpcError:
                pass  # the scheduler has gone
            except Exception:
                logging.getLogger("berth_plugin").exception("the session is given up")
            finally:
                session.close()
                outgoing.put(None)

        context.add_callback(lambda: outgoing.put(None))
        threading.Thread(target=take_all, daemon=True).start()
        while (message := outgoing.get()) is not None:
            yield message
        session.close()


def _check_local(endpoint, address):
    host = address.rpartition(":")[0].strip("[]")
    try:
        is_local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost"
    if not is_local:
        raise ValueError(f"{endpoint} can be reached by other machines: it needs TLS, as tls://")


def serve(open_plugin, argv=None):
    """Serves until the process is told to end, as the whole of a program. `open_plugin` is a plugin's class, or a
    function that makes one of a session."""
    parser = argparse.ArgumentParser(description="A plugin of the Berth scheduler.")
    parser.add_argument("--endpoint", help="where to listen: unix:///path, tcp://127.0.0.1:port or tls://host:port; "
                                           "from BERTH_PLUGIN_ENDPOINT otherwise")
    parser.add_argument("--ca-file", help="for tls://, who certifies schedulers, PEM")
    parser.add_argument("--cert-file", help="for tls://, the plugin's certificate, PEM")
    parser.add_argument("--key-file", help="for tls://, the certificate's key, PEM")
    options = parser.parse_args(argv)
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(message)s")
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    try:
        server = Server(open_plugin, options.endpoint, options.ca_file, options.cert_file, options.key_file)
        server.start()
    except (OSError, ValueError) as failed:
        sys.exit(f"{parser.prog}: {failed}")
    stopped.wait()
    server.stop()
