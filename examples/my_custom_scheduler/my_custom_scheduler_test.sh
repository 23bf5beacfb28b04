#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The example does what its README says: my_custom_scheduler_test.sh BERTH
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
berth=$1
cd "$ROOT/examples/my_custom_scheduler"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# lines CONFIG…: where the two pods go, one line each.
lines() { "$berth" simulate -f cluster.yaml deploy/nginx.yaml "$@" 2>&1 | tr -s ' ' | grep -E '^ ?default/nginx' || true; }

expect "it is valid" "$berth" config check my-scheduler-config.yaml both.yaml
expect "side by side: the custom one fills nodes" prints "default/nginx-custom fuller" lines --config both.yaml
expect "side by side: the default one spreads" prints "default/nginx-default emptier" lines --config both.yaml
expect "on its own: it fills nodes" prints "default/nginx-custom fuller" lines --config my-scheduler-config.yaml
expect "on its own: pods of the default scheduler are left alone" prints \
  "default/nginx-default scheduler default-scheduler is none of the profiles" lines --config my-scheduler-config.yaml
expect "with the default scheduler: the other pod is placed" prints "default/nginx-default emptier" lines
expect "what it changes is what it says" prints "scoringStrategy.type: LeastAllocated -> MostAllocated" "$berth" config diff my-scheduler-config.yaml

profile() { sed -n "/^- schedulerName: my-custom-scheduler/,\$p" "$1"; }
expect "both configurations have the same profile" diff <(profile my-scheduler-config.yaml) <(profile both.yaml)
sed -n '/^  my-scheduler-config.yaml: |$/,/^---$/{s/^    //p}' deploy/my-custom-kube-scheduler.yaml >"$scratch/mounted.yaml"
expect "the manifest's configuration is this one" diff my-scheduler-config.yaml "$scratch/mounted.yaml"
exit "$failed"
