# SPDX-License-Identifier: Apache-2.0
# Finds Go, or installs it in the cache. Sourced, after tools/setup.sh.
cache=${BERTH_KUBERNETES_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/berth/kubernetes}

note() { printf 'kubernetes: %s\n' "$*" >&2; }

# Every release of Go is also a module. Debian's Go is too old for what we build, but it fetches that one, and checks it.
install_go() {
  local version=1.26.8 folder
  install_missing "golang-go go"
  note "installing Go $version"
  folder=$(GOTOOLCHAIN=local go mod download -json "golang.org/toolchain@v0.0.1-go$version.linux-$(dpkg --print-architecture)" |
    sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  rm -rf "$1" "$1.part" && mkdir -p "${1%/*}" && cp -r "$folder" "$1.part" && chmod -R u+w "$1.part"
  chmod +x "$1.part"/bin/* "$1.part"/pkg/tool/*/*  # which modules do not record
  mv "$1.part" "$1"
}

# Puts a Go of at least 1.26 first in PATH.
find_go() {
  local have
  have=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || have=none
  if [[ $have =~ ^go1\.([0-9]+) ]] && ((BASH_REMATCH[1] >= 26)); then return; fi
  [[ -x $cache/go/bin/go ]] || install_go "$cache/go"
  PATH=$cache/go/bin:$PATH
}
