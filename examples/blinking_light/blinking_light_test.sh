#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example does what its README says: blinking_light_test.sh PROGRAM
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
program=$1
cd "$ROOT/examples/blinking_light"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# row CLUSTER NAME: a row of the table of weighted scores.
row() { "$program" explain party -f "$1" --config config.yaml -o wide | tr -s ' ' | grep "^ $2 "; }

expect "the nodes, best first" prints " SCORE (WEIGHTED) bright dim mistyped" row cluster.yaml SCORE
expect "12 lights get 100, 4 get a third, a wrong number 0, times ten" prints \
  " BlinkingLightScorer ×10 1000 330 0" row cluster.yaml BlinkingLightScorer
expect "the brightest wins" prints "default/party  bright" "$program" simulate -f cluster.yaml --config config.yaml

sed '/^kind: Node/{n;s/"[0-9]*"/"0"/}' cluster.yaml >"$scratch/dark.yaml"
expect "where nothing blinks, all stay at 0" prints " BlinkingLightScorer ×10 0 0 0" row "$scratch/dark.yaml" BlinkingLightScorer
exit "$failed"
