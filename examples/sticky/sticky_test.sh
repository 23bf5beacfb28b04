#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The plugin prefers and gives way as the README says: sticky_test.sh PROGRAM
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
program=$1
cd "$ROOT/examples/sticky"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# changed NAME EXPRESSION: a copy of the cluster; an expression that changes nothing is a mistake.
changed() {
  sed "$2" cluster.yaml >"$scratch/$1.yaml"
  ! cmp -s cluster.yaml "$scratch/$1.yaml" || { echo "$2 changes nothing" >&2; exit 1; }
  echo "$scratch/$1.yaml"
}
# placed CLUSTER: where the job's pod goes.
placed() { "$program" simulate -f "$1" --config config.yaml 2>&1 | tr -s ' ' | grep -E '^ ?default/cache ' || true; }
# row CLUSTER NAME: a row of the table of weighted scores.
row() { "$program" explain cache -f "$1" --config config.yaml -o wide | tr -s ' ' | grep "^ $2 "; }
# without CLUSTER NAME: whether the table has no such row.
without() { row "$1" total && ! row "$1" "$2"; }

expect "the configuration is valid" "$program" config check config.yaml
expect "it goes back to where it ran" prints "default/cache fuller" placed cluster.yaml
expect "the nodes, best first" prints " SCORE (WEIGHTED) fuller emptier" row cluster.yaml SCORE
expect "by a score that outweighs all others" prints " Sticky ×100 10000 0" row cluster.yaml Sticky

cordoned=$(changed cordoned 's/unschedulable: false/unschedulable: true/')
expect "a cordoned node: it goes elsewhere" prints "default/cache emptier" placed "$cordoned"
full=$(changed full 's/cpu: "4"/cpu: "8"/')
expect "a full node: it goes elsewhere" prints "default/cache emptier" placed "$full"

# elsewhere WHAT EXPRESSION: the plugin has nothing to say, and the pod goes where any other would.
elsewhere() {
  local cluster
  cluster=$(changed "${1// /-}" "$2")
  expect "$1: as usual" prints "default/cache emptier" placed "$cluster"
  expect "$1: no score" without "$cluster" Sticky
}
elsewhere "a job without status" '/^status: {lastNode/d'
elsewhere "a job whose status names no node" 's/^status: {lastNode: .*/status: {}/'
elsewhere "a node that is gone" 's/lastNode: fuller/lastNode: gone/'
elsewhere "a pod whose job is gone" 's/kind: StickyJob, name: cache,/kind: StickyJob, name: other,/'
elsewhere "a pod of an earlier job of that name" '/kind: StickyJob, name: cache,/s/uid: 5d0ed1c6/uid: 00000000/'
elsewhere "a pod of a StickyJob of another group" 's|{apiVersion: example.com/v1, kind|{apiVersion: example.org/v1, kind|'
elsewhere "a pod without an owner" '/ownerReferences:/,/controller: true/d'

expect "the controller says what it needs outside a cluster" prints "--kubeconfig or --server is needed" \
  env -u KUBERNETES_SERVICE_HOST python3 -B controller/controller.py

# The manifest carries the configuration of this folder.
sed -n '/^  config.yaml: |$/,/^---$/{/^  config.yaml: |$/d;/^---$/d;s/^    //p}' deploy/sticky-scheduler.yaml >"$scratch/mounted.yaml"
expect "the manifest's configuration is this one" diff config.yaml "$scratch/mounted.yaml"
exit "$failed"
