# SPDX-License-Identifier: Apache-2.0
# Finds Go, or installs it in the cache. Sourced.
cache=${BERTH_KUBERNETES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/berth/kubernetes}

note() { printf 'kubernetes: %s\n' "$*" >&2; }

# Puts a Go of at least 1.26 first in PATH.
find_go() {
  local have
  have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || have=none
  if [[ $have =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= 26)); then return; fi
  if [[ ! -x $cache/go/bin/go ]]; then
    note "installing Go from the module proxy"
    "$(dirname "${BASH_SOURCE[0]}")/install_go.py" "$cache/go" >&2
  fi
  PATH=$cache/go/bin:$PATH
}
