#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kube-scheduler without the plugins that BERTH_BROKEN_WITHOUT names: for checks that scenarios notice."""
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
from harness.programs import reference_scheduler  # noqa: E402


def main(arguments):
    without = [{"name": name} for name in os.environ["BERTH_BROKEN_WITHOUT"].split(",")]
    for argument in arguments:
        if argument.startswith("--config="):
            path = Path(argument.removeprefix("--config="))
            config = json.loads(path.read_text())
            for profile in config.setdefault("profiles", [{"schedulerName": "default-scheduler"}]):
                profile["plugins"] = {**profile.get("plugins", {}), "multiPoint": {"disabled": without}}
            path.write_text(json.dumps(config))
    os.execv(reference_scheduler(), ["kube-scheduler", *arguments])


main(sys.argv[1:])
