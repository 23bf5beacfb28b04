#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes pluginv1/ from the contract, or with --check says whether it is up to date. Needs protoc.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
proto=$(cd "$here/../../proto" && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

GOFLAGS=-mod=readonly go -C "$here" build -o "$made/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go
package=berth.dev/sdk/go
protoc -I"$proto" --plugin="$made/protoc-gen-go" --go_out="$made" --go_opt="module=$package" \
  --go_opt="Mberth/plugin/v1/plugin.proto=$package/pluginv1" berth/plugin/v1/plugin.proto
# Which release of protoc it was changes nothing.
sed -i '/^\/\/ 	protoc  /d' "$made/pluginv1/plugin.pb.go"
if [[ ${1:-} == --check ]]; then
  diff -q "$made/pluginv1/plugin.pb.go" "$here/pluginv1/plugin.pb.go" >&2 || {
    echo "sdk/go/pluginv1 is not what the contract says: run sdk/go/generate.sh" >&2
    exit 1
  }
else
  cp "$made/pluginv1/plugin.pb.go" "$here/pluginv1/plugin.pb.go"
fi
