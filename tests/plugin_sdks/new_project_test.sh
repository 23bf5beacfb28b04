#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `berth plugin new` writes in Go and Python passes its own tests, and those can fail: new_project_test.sh BERTH FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$ROOT/tests/kubernetes/go.sh"
source "$here/use_python.sh"
berth=$1
folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
use_python "$scratch" "$folder"

failed=0
expect() {
  local what=$1
  shift
  if "$@" >"$scratch/log" 2>&1; then echo "ok      $what"
  else
    echo "FAILED  $what"
    cat "$scratch/log"
    failed=1
  fi
}
fails() { ! "$@"; }
in_folder() { (cd "$1" && "${@:2}"); }
# Its cluster.yaml says where the pod goes.
decides() { in_folder "$1" "$berth" simulate -f cluster.yaml --config config.yaml | grep -E 'default/pod +liked'; }

python=$scratch/python/rack-aware
expect "a project in Python is written" "$berth" plugin new --lang python RackAware --out "$python"
expect "its tests pass" in_folder "$python" python3 -m unittest
expect "it decides" decides "$python"
sed -i 's/== "never"/== "ever"/' "$python/rack_aware.py"
expect "its tests notice a mistake" fails in_folder "$python" python3 -m unittest

find_go
export GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS=-buildvcs=false
go=$scratch/go/rack-aware
expect "a project in Go is written" "$berth" plugin new --lang go RackAware --out "$go"
expect "the SDK of this tree is used" go -C "$go" mod edit -replace "berth.dev/sdk/go=$ROOT/sdk/go"
# The same versions as in the SDK, which are there already.
cp "$ROOT/examples/remote_filter_go/go.sum" "$go"
expect "its modules are found" go -C "$go" mod tidy
expect "it is formatted" test -z "$(gofmt -l "$go")"
expect "its tests pass" go -C "$go" test .
expect "it is built" go -C "$go" build -o rack-aware .
expect "it decides" decides "$go"
sed -i 's/== "never"/== "ever"/' "$go/main.go"
expect "its tests notice a mistake" fails go -C "$go" test .
exit "$failed"
