# SPDX-License-Identifier: Apache-2.0
"""What a test of the deployment needs. Where something is missing it tests nothing, which is a failure in CI."""
import os
import sys


def cannot(reason):
    print(f"not tested: {reason}", file=sys.stderr)
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def pyyaml():
    try:
        import yaml
    except ImportError:
        cannot("PyYAML is missing (Debian: python3-yaml)")
    return yaml
