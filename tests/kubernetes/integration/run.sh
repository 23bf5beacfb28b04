#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs Kubernetes' own scheduler integration tests against a scheduler program: run.sh SCHEDULER [--ci | --all] [TEST_REGEXP]
# SCHEDULER "upstream" is the real kube-scheduler. --ci runs the folders of selected.txt, FOLDERS those that it names; what
# excluded.txt names is left out.
# Settings are in README.md.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
version=v1.36.4
[[ $# -ge 1 ]] || { sed -n 3,5p "$0"; exit 2; }
scheduler=$1 mode=--all
shift
if [[ ${1:-} == --ci || ${1:-} == --all ]]; then mode=$1; shift; fi
regexp=${1:-.}
bin=$("$here/../build.sh")
work=${bin%/bin}/integration
logs=${EXTERNAL_SCHEDULER_LOGS:-$work/logs}
ROOT=$(cd "$here/../../.." && pwd)
source "$ROOT/tools/setup.sh"
source "$here/../go.sh"
find_go
export GOWORK=off GOFLAGS="-mod=mod -buildvcs=false" GOTOOLCHAIN=local CGO_ENABLED=0

# The folders to test, as packages, without those that are left out.
packages() {
  local folders=(scheduler/... volumescheduling/... dra/default dra/all dra/ga daemonset) out
  if [[ -n ${FOLDERS:-} ]]; then read -ra folders <<<"$FOLDERS"
  elif [[ $mode == --ci ]]; then mapfile -t folders < <(grep -v '^#' "$here/selected.txt"); fi
  out=$(awk '$1 == "package" { sub(/\/\.\.\.$/, "(/|$)", $2) || sub(/$/, "$", $2); print "/test/integration/" $2 }' "$here/excluded.txt")
  (cd "$work/k8s" && go list "${folders[@]/#/./test/integration/}") | grep -vE "$out"
}

# A copy of the source, made again when this folder changes: the tests cannot be imported, and need edits.
prepare() {
  local stamp source
  stamp=$(cat "$here/tool/main.go" "$here/k8s.go.sum" $(find "$here/_overlay" -name '*.go' | sort) | sha256sum | cut -c1-16)
  [[ $(cat "$work/stamp" 2>/dev/null) != "$stamp" ]] || return 0
  echo "preparing the tests" >&2
  rm -rf "$work/k8s" && mkdir -p "$work/k8s"
  source=$(cd "$here" && go mod download -json "k8s.io/kubernetes@$version" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  cp -r "$source/." "$work/k8s" && chmod -R u+w "$work/k8s"
  rm -rf "$work/k8s/vendor" "$work/k8s/go.work" "$work/k8s/go.work.sum"
  sed -i -E "s#(k8s.io/[a-z-]+) => ./staging/src/k8s.io/.*#\1 => \1 v0.${version#v1.}#; s#^(\t(k8s.io/[a-z-]+)) v0\.0\.0\$#\1 v0.${version#v1.}#" "$work/k8s/go.mod"
  cp "$here/k8s.go.sum" "$work/k8s/go.sum"
  (cd "$here" && go run ./tool transform "$work/k8s" "$here/_overlay")
  echo "$stamp" >"$work/stamp"
}

scratch=$(mktemp -d)
mkdir -p "$logs" "$scratch/tmp" "$scratch/bin"
if [[ $scheduler == upstream ]]; then scheduler=$bin/kube-scheduler; fi
[[ -x $scheduler ]] || { echo "$scheduler is not a program"; exit 1; }
# Berth's program is kube-scheduler under this name.
EXTERNAL_SCHEDULER=$scratch/bin/kube-scheduler
ln -s "$(readlink -f "$scheduler")" "$EXTERNAL_SCHEDULER"
prepare

# One etcd for all tests; each API server has its own prefix in it.
port=${ETCD_PORT:-$((23000 + RANDOM % 2000 * 2))}
"$bin/etcd" --name t --data-dir "$scratch/etcd" --log-level error --unsafe-no-fsync --quota-backend-bytes 8589934592 \
  --listen-client-urls "http://127.0.0.1:$port" --advertise-client-urls "http://127.0.0.1:$port" \
  --listen-peer-urls "http://127.0.0.1:$((port + 1))" --initial-advertise-peer-urls "http://127.0.0.1:$((port + 1))" \
  --initial-cluster "t=http://127.0.0.1:$((port + 1))" >"$scratch/etcd.log" 2>&1 &
etcd=$!
trap 'kill $etcd 2>/dev/null; wait $etcd 2>/dev/null; rm -rf "$scratch"' EXIT
for _ in $(seq 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.1; done
kill -0 $etcd 2>/dev/null || { echo "etcd did not start:"; cat "$scratch/etcd.log"; exit 1; }

(cd "$here" && go build -o "$work/tool" ./tool)
mapfile -t wanted < <(packages)
((${#wanted[@]})) || { echo "there are no packages to test"; exit 1; }
skip=$(awk '$1 == "test" { printf "%s%s", sep, $2; sep = "|" }' "$here/excluded.txt")
# Some tests look for etcd in PATH.
export PATH=$bin:$PATH EXTERNAL_SCHEDULER KUBE_INTEGRATION_ETCD_URL=http://127.0.0.1:$port EXTERNAL_SCHEDULER_LOGS=$logs TMPDIR=$scratch/tmp
cd "$work/k8s"
# Not with -trimpath: tests find files by the path of their source.
flags=(-vet=off -ldflags=-s\ -w)
# Everything is compiled first: deadlines of tests that run already do not allow for that.
[[ -n ${FOLDERS:-} ]] || go test "${flags[@]}" -run '^$' -exec true "${wanted[@]}" >"$logs/compile.txt" 2>&1 || { cat "$logs/compile.txt"; exit 1; }
set +e +o pipefail
go test -json "${flags[@]}" -count="${COUNT:-1}" -p "${JOBS:-3}" -timeout "${TIMEOUT:-90m}" \
  -run "$regexp" -skip "$skip" "${wanted[@]}" 2>"$logs/stderr.txt" | tee "$logs/results.json" | "$work/tool" report
rc=${PIPESTATUS[2]}
[[ $rc == 0 ]] || echo "output of failed tests: $logs/results.json; logs of the scheduler: $logs"
exit "$rc"
