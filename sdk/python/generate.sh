#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the contract's messages as Python, berth/plugin/v1/plugin_pb2.py, here or in the folder named. Needs protoc.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here}
mkdir -p "$out"
protoc -I"$here/../../proto" --python_out="$out" berth/plugin/v1/plugin.proto
