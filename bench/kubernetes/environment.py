# SPDX-License-Identifier: Apache-2.0
"""Where and of what the figures were taken."""
import datetime
import os
import platform
import re
import subprocess
from pathlib import Path

from harness.programs import ROOT, program


def output(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except OSError:
        return ""
    return (done.stdout or done.stderr).strip()


def first(pattern, text):
    found = re.search(pattern, text, re.MULTILINE)
    return found.group(1).strip() if found else ""


def environment(berth):
    """`berth` is the program that is compared with kube-scheduler."""
    commit = output("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    changed = output("git", "-C", str(ROOT), "status", "--porcelain", "--untracked-files=no")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "cores": len(os.sched_getaffinity(0)),
        "processor": first(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text()),
        "memory_gib": round(int(first(r"^MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())) / 2**20, 1),
        "kernel": platform.release(),
        "load_average": os.getloadavg()[0],
        "kube-apiserver": output(program("kube-apiserver"), "--version"),
        "etcd": first(r"etcd Version: (.*)", output(program("etcd"), "--version")),
        "kube-scheduler": output(program("kube-scheduler"), "--version"),
        "berth": (output(berth, "--version").splitlines() or [""])[0],
        "commit": commit + (" with changes" if changed else ""),
    }


def described(about):
    """The environment as lines of text."""
    return "\n".join([
        f"{about['cores']} cores of {about['processor']}, {about['memory_gib']} GiB, Linux {about['kernel']}, "
        f"load average {about['load_average']:.1f}; {about['date']}",
        f"{about['kube-apiserver']} (kube-apiserver), etcd {about['etcd']}, {about['kube-scheduler']} (kube-scheduler)",
        f"{about['berth']} ({about['commit']})",
    ])
