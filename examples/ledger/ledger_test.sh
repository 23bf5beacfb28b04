#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example does what its README says: ledger_test.sh PROGRAM
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
program=$1
example=$ROOT/examples/ledger
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"  # where ledger.jsonl is written

# Exit code 3: a pod stays pending.
run() { "$program" simulate --scenario "$example/scenario.yaml" "$@" || (($? == 3)); }
lines() { test "$(grep -c "$1" ledger.jsonl)" = "$2"; }

run --config "$example/config.yaml" >with
run >without
expect "it changes no decision, preemption included" diff without with
expect "a pod was preempted" grep -qE '^ +job +4 +4 +0 +1 ' with
expect "four jobs and the urgent pod were bound" lines '"event":"bound"' 5
expect "three jobs could choose between two nodes" lines '"event":"scored".*"feasible":2' 3
expect "the urgent pod was rejected before it preempted" lines '"event":"rejected","pod":"default/urgent-1"' 1
expect "the giant pod was rejected twice" lines '"event":"rejected","pod":"default/giant-1".*{"NodeResourcesFit: Insufficient cpu":2}' 2
expect "half of a node costs half of its price" lines '"node":"dear-1",.*"costPerHour":0.8000' 3
expect "the sum" prints "bound 5 pods, 2.80 per hour" "$program" ledger ledger.jsonl
expect "by node" prints "cheap-1: 2 pods, 0.40 per hour" "$program" ledger ledger.jsonl
expect "by reason" prints "6 nodes, NodeResourcesFit: Insufficient cpu" "$program" ledger ledger.jsonl
expect "one pod" test "$("$program" ledger ledger.jsonl default/urgent-1 | wc -l)" = 2
expect "a pod nobody knows" exits 3 "$program" ledger ledger.jsonl default/nobody

head -c -20 ledger.jsonl >torn.jsonl
expect "a last line that was cut short is left out" prints "rejected 2 times" "$program" ledger torn.jsonl
sed '2s/.*/nonsense/' ledger.jsonl >bad.jsonl
expect "a line that is no record is named" prints "bad.jsonl:2: this is no record" "$program" ledger bad.jsonl
run --config "$example/config.yaml" >/dev/null
expect "a ledger is continued" lines '"event":"bound"' 10

sed 's|file: .*|file: /dev/full|' "$example/config.yaml" >full.yaml
run --config full.yaml >full 2>full.log
expect "a full disk changes no decision" diff without full
expect "a full disk is told once" test "$(grep -c 'cannot write /dev/full: No space left' full.log)" = 1
expect "and how much was lost" prints "lines were lost for /dev/full" cat full.log
sed 's|file: .*|file: /nowhere/ledger.jsonl|' "$example/config.yaml" >nowhere.yaml
expect "a file that cannot be opened is an error" prints "cannot open /nowhere/ledger.jsonl: No such file" run --config nowhere.yaml
sed '/file:/d' "$example/config.yaml" >none.yaml
expect "so is none" prints "args.file: Required value: the ledger is written to it" "$program" config check none.yaml
exit "$failed"
