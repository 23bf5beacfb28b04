# SPDX-License-Identifier: Apache-2.0
"""The messages of the contract, as `pb`."""
try:
    from berth.plugin.v1 import plugin_pb2 as pb
except ImportError as missing:
    raise ImportError("the contract's messages are missing: sdk/python/generate.sh makes them") from missing

MAJOR = 1
MINOR = 0
SERVICE = "berth.plugin.v1.SchedulerPlugin"

__all__ = ["MAJOR", "MINOR", "SERVICE", "pb"]
