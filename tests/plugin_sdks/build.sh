#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes what tests of plugins in other languages run: build.sh FOLDER. Go is found, or installed, as for the tests against
# Kubernetes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$ROOT/tests/kubernetes/go.sh"
out=$1
mkdir -p "$out/python"

"$ROOT/sdk/python/generate.sh" "$out/python"
find_go
export GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false -trimpath"
go -C "$ROOT/sdk/go" build -o "$out/everypoint" ./internal/everypoint
go -C "$ROOT/examples/remote_filter_go" build -o "$out/maintenance" .
go -C "$ROOT/examples/live_permit" build -o "$out/live-permit" .
