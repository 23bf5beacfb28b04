#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What `berth plugin new` writes in C++ is built against an installed Berth, and its tests pass: new_project_test.sh BUILD
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/sdk/installed.sh"

expect "it is installed" install_sdk "$1"
project=$scratch/rack-aware
expect "a project is written" "$prefix/bin/berth" plugin new --lang cpp rack-aware --out "$project"
expect "it is built" build_project "$project" "$project/build"
expect "its tests pass" ctest --test-dir "$project/build" --no-tests=error --output-on-failure
expect "there are three" prints "out of 3" ctest --test-dir "$project/build"
program=$project/build/rack-aware-scheduler
expect "its README is true: explain" prints "rack-aware ×10" "$program" explain pod -f "$project/cluster.yaml" --config "$project/config.yaml"
expect "its README is true: bench" prints "rack-aware " "$program" plugin bench --config "$project/config.yaml" --plugin rack-aware --nodes 50 --pods 2

# Its tests can fail.
sed -i 's/scores, \/\*reverse=\*\/false/scores, \/*reverse=*\/true/' "$project/rack_aware.cc"
expect "with a mistake in it, it is built" build_project "$project" "$project/build"
expect "its tests notice" exits 8 ctest --test-dir "$project/build"
exit "$failed"
