#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The samples are built outside the tree, against an installed Berth, and each is Berth: samples_test.sh BUILD
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/sdk/installed.sh"

expect "it is installed" install_sdk "$1"
built=0
for project in "$ROOT"/examples/*/CMakeLists.txt; do
  grep -q 'find_package(Berth' "$project" || continue
  name=$(basename "$(dirname "$project")")
  cp -r "$ROOT/examples/$name" "$scratch/$name"
  expect "$name is built" build_project "$scratch/$name" "$scratch/$name/build"
  program=$(find "$scratch/$name/build" -maxdepth 1 -type f -executable)
  expect "$name is Berth" prints "decides as kube-scheduler" "$program" --version
  built=$((built + 1))
done
expect "there are five or more" test "$built" -ge 5
exit "$failed"
