#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Go SDK's own tests; it and the samples are formatted and vetted, and its messages are those of the contract.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$ROOT/tests/kubernetes/go.sh"
find_go
export GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false"
for module in sdk/go examples/remote_filter_go examples/live_permit; do
  cd "$ROOT/$module"
  unformatted=$(gofmt -l .)
  [[ -z $unformatted ]] || { echo "not formatted: $unformatted" >&2; exit 1; }
  go vet ./...
  go test ./...
done
"$ROOT/sdk/go/generate.sh" --check
