# SPDX-License-Identifier: Apache-2.0
"""The load generator: builds the program in load/ and speaks with it."""
import hashlib
import json
import os
import subprocess
from pathlib import Path

from harness.control_plane import ADMIN_TOKEN
from harness.programs import cache_bin

SOURCE = Path(__file__).resolve().parent / "load"


class LoadError(Exception):
    """What the program was told to do failed."""


def built():
    """The program, made again when its source changed."""
    files = sorted([*SOURCE.glob("*.go"), SOURCE / "go.mod", SOURCE / "go.sum"])
    stamp = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    binary = cache_bin() / f"bench-load-{stamp}"
    if not binary.exists():
        for old in cache_bin().glob("bench-load-*"):
            old.unlink()
        # Where build.sh of the tests puts a Go of its own.
        path = f"{cache_bin().parent.parent / 'go/bin'}:{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "GOWORK": "off", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false"}
        partial = binary.with_name(f".{binary.name}.{os.getpid()}")
        subprocess.run(["go", "build", "-trimpath", "-ldflags=-s -w", "-o", partial, "."], cwd=SOURCE, env=env, check=True)
        partial.rename(binary)
    return str(binary)


class Load:
    """A running load generator; `scratch` takes its log and the objects it is given."""

    def __init__(self, plane, scratch):
        self._scratch = Path(scratch)
        self._scratch.mkdir(parents=True, exist_ok=True)
        with open(self._scratch / "load.log", "ab") as log:
            self._process = subprocess.Popen(
                [built(), "-server", f"https://127.0.0.1:{plane.port}", "-ca", plane.ca_file, "-token", ADMIN_TOKEN],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)

    def __call__(self, do, **fields):
        """Does one command of load/commands.go. The result has its fields, and `error` where it failed half-way."""
        try:
            self._process.stdin.write(json.dumps({"do": do, **fields}) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise LoadError(f"{do}: the load generator ended: {(self._scratch / 'load.log').read_text()[-400:]}")
        result = json.loads(answer)
        if set(result) == {"error"}:
            raise LoadError(result["error"])
        return result

    def read(self, name, objects):
        """Hands over a set of objects."""
        file = self._scratch / f"{name}.jsonl"
        file.write_text("".join(json.dumps(obj) + "\n" for obj in objects))
        self("read", set=name, file=str(file))
        file.unlink()

    def stop(self):
        self._process.kill()
        self._process.wait()
