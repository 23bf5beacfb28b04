#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs Python with the SDK: python.sh FOLDER ARGUMENTS…, where FOLDER/python has the contract's messages. Whichever Python
# has gRPC is taken: the system's packages are not those of another Python that may come first in PATH.
set -euo pipefail
sdk=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../sdk/python" && pwd)
folder=$1
shift
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import grpc, google.protobuf' 2>/dev/null; then
    PYTHONPATH="$folder/python:$sdk${PYTHONPATH:+:$PYTHONPATH}" PYTHONDONTWRITEBYTECODE=1 exec "$python" "$@"
  fi
done
echo "no Python has gRPC and protobuf (Debian: python3-grpcio, python3-protobuf)" >&2
exit 1
