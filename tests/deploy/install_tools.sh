#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the tests of deploy/ need and is missing: Debian's promtool and PyYAML, what cpack needs, and helm, built by Go.
# helm goes to ${BERTH_TOOLS:-${XDG_CACHE_HOME:-~/.cache}/berth/tools}/bin.
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$ROOT/tests/deploy/tools.sh"

install_missing "$PACKAGE_NEEDS" "$DEPLOY_NEEDS"
tools_in_path
if ! command -v helm >/dev/null; then
  source "$ROOT/tests/kubernetes/go.sh"
  find_go
  note "building helm"
  logged helm env GOBIN="${BERTH_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/berth/tools}/bin" nice go install helm.sh/helm/v3/cmd/helm@v3.22.0
fi
