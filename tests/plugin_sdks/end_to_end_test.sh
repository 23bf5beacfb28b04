#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the READMEs of samples in other languages say, with the whole scheduler: end_to_end_test.sh BERTH FOLDER
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
source "$here/use_python.sh"
berth=$1
folder=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

use_python "$scratch" "$folder"

failed=0
# expect WHAT TEXT FOLDER COMMAND…: the command in the folder succeeds and prints the text, a regular expression.
expect() {
  local what=$1 text=$2
  if (cd "$3" && "${@:4}") >"$scratch/log" 2>&1 && grep -qE -- "$text" "$scratch/log"; then echo "ok      $what"
  else
    echo "FAILED  $what: no '$text' in"
    cat "$scratch/log"
    failed=1
  fi
}
sample() { # a copy of it, where its program is
  cp -r "$ROOT/examples/$1" "$scratch/$1"
  [[ -z ${2:-} ]] || cp "$folder/$2" "$scratch/$1/"
}

sample remote_score_python
price=$scratch/remote_score_python
expect "without PriceScore the emptiest node wins" 'default/report  rented-large' "$price" "$berth" simulate -f cluster.yaml
expect "with it, the one that costs nothing" 'default/report  own' "$price" "$berth" simulate -f cluster.yaml --config config.yaml
expect "its scores are explained" 'PriceScore ×10 +1000 +870 +0' "$price" "$berth" explain report -f cluster.yaml --config config.yaml

sample remote_filter_go maintenance
maintenance=$scratch/remote_filter_go
expect "without Maintenance the emptiest node wins" 'default/report  closed' "$maintenance" "$berth" simulate -f cluster.yaml
expect "with it, one that is not in maintenance" 'default/report  mended' "$maintenance" "$berth" simulate -f cluster.yaml --config config.yaml
expect "its rejections are explained" 'node\(s\) were in maintenance until 1970-01-01T06:00:00Z' "$maintenance" \
  "$berth" explain report -f cluster.yaml --config config.yaml

sed -i 's/label: .*/color: red/' "$price/config.yaml"
expect "what a plugin does not understand is told" 'config: label is required' "$price" \
  bash -c '! "$@"' _ "$berth" explain report -f cluster.yaml --config config.yaml
exit "$failed"
