#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example does what its README says: sample_plugin_test.sh PROGRAM
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
program=$1
cd "$ROOT/examples/sample_plugin"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for config in scheduler-config.yaml scheduler-config-v1.yaml; do
  log=$scratch/$config.log
  expect "$config: it is valid" "$program" config check "$config"
  expect "$config: the pod is placed, the other left alone" \
    prints "pods of scheduler default-scheduler, which no profile has, are left alone: default/other-1" \
    "$program" simulate --scenario scenario.yaml --config "$config"
  "$program" simulate --scenario scenario.yaml --config "$config" -v 3 >"$scratch/out" 2>"$log"
  expect "$config: the arguments arrive" prints \
    '"get plugin config args" favorite_color="#326CE5" favorite_number=7 thanks_to="everyone who wrote it down"' cat "$log"
  expect "$config: PreFilter once" exits 0 test "$(grep -c '"prefilter pod: test-scheduler-1"' "$log")" = 1
  for node in node-1 node-2 node-3; do
    expect "$config: Filter once for $node" \
      exits 0 test "$(grep -c "\"filter pod: test-scheduler-1, node: $node\"" "$log")" = 1
  done
  node=$(sed -nE 's/.*"prebind node info: ([^ "]+) cpu=4 memory=8589934592 pods=110"/\1/p' "$log")
  expect "$config: PreBind sees the node" test -n "$node"
  expect "$config: it is bound to that node" prints \
    "\"Successfully bound pod to node\" pod=\"default/test-scheduler-1\" node=\"$node\" evaluatedNodes=3 feasibleNodes=3" cat "$log"
  "$program" simulate --scenario scenario.yaml --config "$config" >/dev/null 2>"$scratch/quiet"
  expect "$config: it says nothing unless asked" exits 1 grep 'pod:' "$scratch/quiet"
done

sed 's/favorite_color: .*/favorite_color: 3/; s/favorite_number: .*/favorite_number: seven/' scheduler-config.yaml >"$scratch/wrong.yaml"
for problem in "wrong.yaml:21:21: profiles[0].pluginConfig[0].args.favorite_color: expected string, found integer" \
  "wrong.yaml:22:22: profiles[0].pluginConfig[0].args.favorite_number: expected integer, found string"; do
  expect "refused: $problem" prints "$problem" "$program" "--config=$scratch/wrong.yaml" --v=3
done
expect "it does not start with wrong arguments" exits 1 "$program" "--config=$scratch/wrong.yaml"
sed 's/favorite_color: .*/favourite_color: red/' scheduler-config.yaml >"$scratch/misspelt.yaml"
expect "a misspelt argument is named" prints 'misspelt.yaml:21:5: profiles[0].pluginConfig[0].args.favourite_color: unknown field' \
  "$program" "--config=$scratch/misspelt.yaml"

# The manifest carries the configuration of this folder.
sed -n '/^  scheduler-config.yaml: |$/,/^---$/{s/^    //p}' deploy/sample-scheduler.yaml >"$scratch/mounted.yaml"
expect "the manifest's configuration is this one" diff scheduler-config.yaml "$scratch/mounted.yaml"
exit "$failed"
