#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes deploy/manifests/ anew from deploy/overlays/: tools/render_manifests.sh [--check]
# With --check nothing is written: fails when a file is not what its overlay makes. KUBECTL names another kubectl.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../deploy"
code=0
for overlay in second-scheduler shadow replace; do
  rendered=$("${KUBECTL:-kubectl}" kustomize "overlays/$overlay")
  if [[ ${1:-} != --check ]]; then
    printf '%s\n' "$rendered" >"manifests/$overlay.yaml"
  elif ! diff -u "manifests/$overlay.yaml" - <<<"$rendered"; then
    echo "deploy/manifests/$overlay.yaml is not what its overlay makes: run tools/render_manifests.sh" >&2
    code=1
  fi
done
exit "$code"
