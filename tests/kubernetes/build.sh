#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the programs the tests run against, and prints the folder they are in: build.sh [--check]
# With --check nothing is built: fails when a program is missing. Where Go 1.26 is missing, it is installed in the cache.
# The cache is ${BERTH_KUBERNETES_CACHE:-${XDG_CACHE_HOME:-~/.cache}/berth/kubernetes}.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
version=v1.36.4
ROOT=$(cd "$here/../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$here/go.sh"
bin=$cache/$version/bin
programs=(etcd kube-scheduler kube-apiserver kubectl)

# Which program of ours belongs to which state of its source: the fault proxy is made again when it changes.
proxy_stamp() { cat "$here"/faultproxy/*.go "$here"/faultproxy/go.mod | sha256sum | cut -c1-16; }

missing() {
  local program
  for program in "${programs[@]}"; do [[ -x $bin/$program ]] || echo "$program"; done
  [[ -x $bin/faultproxy-$(proxy_stamp) ]] || echo faultproxy
}

if [[ ${1:-} == --check ]]; then
  if [[ -n $(missing) ]]; then
    note "not built: $(missing | xargs) (tests/kubernetes/build.sh builds them)"
    exit 1
  fi
  echo "$bin"
  exit
fi

if [[ -z $(missing) ]]; then
  echo "$bin"
  exit
fi

# make_program PROGRAM FOLDER PACKAGE [go build arguments]: the module in FOLDER pins every version.
make_program() {
  local program=$1 folder=$2 package=$3 started=$SECONDS
  shift 3
  [[ -x $bin/$program ]] && return
  note "building $program"
  # Renamed when done, so that a broken build leaves nothing that looks finished.
  (cd "$here/$folder" && nice -n 10 go build -trimpath "$@" -o "$bin/.$program" "$package") >&2
  mv "$bin/.$program" "$bin/$program"
  note "built $program in $((SECONDS - started)) s"
}

find_go
export GOWORK=off GOTOOLCHAIN=local CGO_ENABLED=0 GOFLAGS="-mod=readonly -buildvcs=false"
mkdir -p "$bin"
v=k8s.io/component-base/version
kubernetes=(-ldflags "-s -w -X $v.gitVersion=$version -X $v.gitMajor=1 -X $v.gitMinor=36")
make_program etcd etcd go.etcd.io/etcd/server/v3 -ldflags "-s -w"
make_program kube-scheduler controlplane k8s.io/kubernetes/cmd/kube-scheduler "${kubernetes[@]}"
make_program kube-apiserver controlplane k8s.io/kubernetes/cmd/kube-apiserver "${kubernetes[@]}"
make_program kubectl controlplane k8s.io/kubernetes/cmd/kubectl "${kubernetes[@]}"
rm -f "$bin"/faultproxy-*
make_program "faultproxy-$(proxy_stamp)" faultproxy . -ldflags "-s -w"
echo "$bin"
