#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A project outside the tree is built against an installed Berth: outside_test.sh BUILD
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/sdk/installed.sh"

# only_standard_headers FOLDER: whether headers include only each other and the standard library.
only_standard_headers() { ! grep -rnE '#include (<[^>]*[/.][^>]*>|"([^b]|b[^e]|be[^r]))' "$1"; }
fails() { ! "$@"; }

expect "it is installed" install_sdk "$1"
mkdir "$scratch/bad"
echo '#include <fmt/core.h>' >"$scratch/bad/bad.h"
expect "a third-party header would be noticed" fails only_standard_headers "$scratch/bad"
echo '#include "base/result.h"' >"$scratch/bad/bad.h"
expect "a path that is not below berth/ would be noticed" fails only_standard_headers "$scratch/bad"
expect "headers include no third-party header" only_standard_headers "$prefix/include"
expect "headers are where they belong" test -s "$prefix/include/berth/plugin.h" -a -s "$prefix/include/berth/internal/framework/status.h"
expect "tests are not installed" fails eval 'find "$prefix/include" | grep -E "test"'

cp -r "$ROOT/tests/sdk/outside" "$scratch/outside"
expect "a project is built" build_project "$scratch/outside" "$scratch/outside/build"
program=$scratch/outside/build/even-nodes
expect "it is Berth" prints "decides as kube-scheduler" "$program" --version
expect "its plugins decide" prints "default/pod  n2" "$program" simulate -f "$scratch/outside/cluster.yaml" --config "$scratch/outside/config.yaml"
expect "without them it decides as Berth" prints "default/pod  n1" "$program" simulate -f "$scratch/outside/cluster.yaml"
expect "its arguments are checked" prints "config.yaml:15:16: " "$program" config check "$scratch/outside/bad_config.yaml"
exit "$failed"
