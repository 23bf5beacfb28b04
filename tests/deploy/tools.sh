# SPDX-License-Identifier: Apache-2.0
# What the tests of deploy/ share: finding the programs they need. Sourced.

# cannot REASON: the test cannot run here. ctest reports exit code 77 as skipped, which .ci/run does not accept; where
# CI=true the test fails right away.
cannot() {
  printf 'not tested: %s\n' "$*" >&2
  [[ ${CI:-} == true ]] && exit 1
  exit 77
}

# need COMMAND HOW: fails the test, or skips it, when there is no such command.
need() { command -v "$1" >/dev/null || cannot "$1 is missing: $2"; }

# The folder with kubectl, kube-apiserver, kube-scheduler and etcd comes first in PATH, if there is one.
kubernetes_in_path() {
  local bin=${BERTH_KUBERNETES_BIN:-}
  [[ -n $bin || ! -x $ROOT/tests/kubernetes/build.sh ]] || bin=$("$ROOT/tests/kubernetes/build.sh" --check 2>/dev/null) || bin=
  PATH=${bin:+$bin:}$PATH
}

# Programs that install_tools.sh installed.
tools_in_path() { PATH=$PATH:${BERTH_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/berth/tools}/bin; }

failed=0
# expect WHAT COMMAND…: runs the command quietly and shows its output when it fails; the test goes on.
expect() {
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf 'ok      %s\n' "$what"
  else
    printf 'FAILED  %s\n%s\n' "$what" "$output"
    failed=1
  fi
}

# prints TEXT COMMAND…: whether the text is part of what the command prints, which is shown when it is not.
prints() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || true
  [[ $output == *"$text"* ]] || { printf 'no "%s" from: %s\n%s\n' "$text" "$*" "$output"; return 1; }
}

# exits CODE COMMAND…: whether the command ends with this code.
exits() {
  local expected=$1 code=0
  shift
  "$@" || code=$?
  ((code == expected)) || { echo "exit code $code of: $*"; return 1; }
}
