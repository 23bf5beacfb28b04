# SPDX-License-Identifier: Apache-2.0
# use_python SCRATCH FOLDER: from now on python3 is one that has gRPC, and finds the SDK with the messages in FOLDER. Sourced, with ROOT set.
use_python() {
  mkdir -p "$1/bin"
  ln -s "$("$ROOT/tests/plugin_sdks/python.sh" "$2" -c 'import sys; print(sys.executable)')" "$1/bin/python3"
  export PATH=$1/bin:$PATH PYTHONPATH=$2/python:$ROOT/sdk/python PYTHONDONTWRITEBYTECODE=1
}
