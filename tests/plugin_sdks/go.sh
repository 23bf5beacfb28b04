#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Go SDK's own tests: formatted, vetted, run, and its messages are those of the contract.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$ROOT/tests/kubernetes/go.sh"
find_go
export GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false"
cd "$ROOT/sdk/go"
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "not formatted: $unformatted" >&2; exit 1; }
go vet ./...
go test ./...
./generate.sh --check
