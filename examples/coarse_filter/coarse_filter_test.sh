#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example does what its README says: coarse_filter_test.sh PROGRAM
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
program=$1
example=$ROOT/examples/coarse_filter
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Rates, on fewer nodes. Of BITS and HASHES: the rate of one label in percent, and the nodes that were lost.
"$program" rates 1000 >rates
rate() { awk -v bits="$1" -v hashes="$2" '$1 == bits && $2 == hashes {print $4 + 0}' rates; }
between() { awk -v rate="$1" -v low="$2" -v high="$3" 'BEGIN {exit !(rate >= low && rate <= high)}'; }
expect "every size was measured" test "$(grep -cE '^ +[0-9]+ +[0-9]+ .*%' rates)" = 20
expect "a node that has the labels is never dropped" exits 1 awk 'NR > 3 && $NF != 0 {found = 1} END {exit !found}' rates
expect "256 bits and 3 hashes leave about 0.35%" between "$(rate 256 3)" 0.1 1
expect "64 bits leave many more" between "$(rate 64 3)" 5 20

"$program" cluster 300 >cluster.yaml
"$program" simulate -f cluster.yaml >without
"$program" simulate -f cluster.yaml --config "$example/config.yaml" -v 4 >with 2>log
expect "every pod is placed" grep -q 'PLACED (32)' without
expect "on the same node" diff without with
expect "most nodes are dropped" between "$(sed -nE 's/.*"Nodes were dropped".* left=([0-9]+) of=300.*/\1/p' log | sort -n | tail -n 1)" 1 30
expect "it keeps the rules of plugins" "$program" plugin test -f cluster.yaml --config "$example/both.yaml"
expect "also on random clusters" "$program" plugin test --config "$example/both.yaml" --nodes 60 --pods 60 --seed 3

expect "a label that changes is noticed, in time" diff \
  <("$program" simulate --scenario "$example/scenario.yaml" --config "$example/config.yaml" | sed -n '/^PODS/,/^$/p') \
  <("$program" simulate --scenario "$example/scenario.yaml" | sed -n '/^PODS/,/^$/p')
expect "the early pod is placed, the late one not" prints "late            1      0 " \
  "$program" simulate --scenario "$example/scenario.yaml" --config "$example/config.yaml"
sed 's/bits: 256/bits: 100/' "$example/config.yaml" >odd.yaml
expect "arguments are checked" prints "args.bits: Invalid value: 100: must be a power of two" "$program" config check odd.yaml
exit "$failed"
