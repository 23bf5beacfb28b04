#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The systemd unit: systemd reads all of it, and it stays as confined as it is.
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
need systemd-analyze "Debian: systemd"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Where berth is not installed, its absence is all that systemd may find.
verified() {
  systemd-analyze verify --man=no "$1" 2>&1 | tee "$scratch/findings"
  ! grep -v 'Command /usr/bin/kube-scheduler is not executable' "$scratch/findings" | grep -q 'berth-scheduler'
}
unit=$ROOT/deploy/debian/usr/lib/systemd/system/berth-scheduler.service
sed 's/^ProtectHome=/ProtectHame=/' "$unit" >"$scratch/berth-scheduler.service"
expect "a misspelt setting would be noticed" eval '! verified "$scratch/berth-scheduler.service"'
expect "systemd understands the unit" verified "$unit"
expect "its exposure is at most 1.5" systemd-analyze security --offline=true --threshold=15 --no-pager "$unit"
exit "$failed"
