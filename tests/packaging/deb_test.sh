#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the Debian packages of a build and looks into them: deb_test.sh BUILD [--chroot [FOLDER]]
# With --chroot the one with the program is also installed, used and purged in a Debian 12 of its own, in FOLDER or made for the occasion (which
# takes minutes and needs root and debootstrap).
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
build=$(cd "$1" && pwd)
mode=${2:-}
root=${3:-}
need cpack "Debian: cmake"
need dpkg-deb "Debian: dpkg"
need dpkg-shlibdeps "Debian: dpkg-dev"
need file "Debian: file"
if [[ $mode == --chroot ]]; then
  need debootstrap "Debian: debootstrap"
  ((EUID == 0)) || cannot "a chroot needs root"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
(cd "$build" && cpack -G DEB -B "$scratch") >"$scratch/cpack.log" 2>&1 || { cat "$scratch/cpack.log"; exit 1; }
deb=$(echo "$scratch"/*.deb)
(cd "$build" && cpack --config CPackSdkConfig.cmake -B "$scratch/sdk") >"$scratch/cpack.log" 2>&1 || { cat "$scratch/cpack.log"; exit 1; }
sdk=$(echo "$scratch"/sdk/*.deb)
tree=$scratch/tree
dpkg -x "$deb" "$tree"

contains() { grep -qE -- "$2" <<<"$1" || { printf 'no %s in:\n%s\n' "$2" "$1"; return 1; }; }
all_libraries() { ! ldd "$1" | grep 'not found'; }
stripped() { ! readelf -S "$1" | grep -q '\.debug_info'; }
only_these_folders() {
  local others
  others=$(cd "$tree" && find . -type f -o -type l | grep -vE '^\./(etc/berth|usr/bin|usr/lib/systemd/system|usr/share/(doc/)?berth)/' || true)
  [[ -z $others ]] || { printf 'not expected:\n%s\n' "$others"; return 1; }
}

expect "depends on the libraries that it is linked with" \
  contains "$(dpkg-deb -f "$deb" Depends)" 'libc6 .*libfmt9.*libyaml-cpp0\.7'
expect "leaves a changed configuration alone" contains "$(dpkg-deb --ctrl-tarfile "$deb" | tar -xO ./conffiles)" '^/etc/berth/scheduler.yaml$'
expect "installs nothing elsewhere" only_these_folders
expect "kube-scheduler is berth" test "$(readlink "$tree/usr/bin/kube-scheduler")" = berth
expect "berth is stripped" stripped "$tree/usr/bin/berth"
expect "berth finds its libraries" all_libraries "$tree/usr/bin/berth"
expect "berth --version" "$tree/usr/bin/berth" --version
expect "kube-scheduler --version" "$tree/usr/bin/kube-scheduler" --version
expect "the configuration is valid" "$tree/usr/bin/berth" config check "$tree/etc/berth/scheduler.yaml"
expect "the SDK is another package" test ! -e "$tree/usr/include" -a ! -e "$tree/usr/lib/libberth.a"
expect "berth-dev depends on the libraries to link with" contains "$(dpkg-deb -f "$sdk" Depends)" 'libfmt-dev,.*libssl-dev'
expect "berth-dev has the headers" contains "$(dpkg-deb -c "$sdk")" ' \./usr/include/berth/scheduler\.h$'
expect "berth-dev has the library" contains "$(dpkg-deb -c "$sdk")" ' \./usr/lib/libberth\.a$'
expect "a guide is there" test -s "$tree/usr/share/doc/berth/docs/guides/kubernetes.md"

if [[ $mode == --chroot ]]; then
  if [[ -z $root ]]; then
    root=$scratch/debian
    started=$SECONDS
    expect "a Debian 12 is made" debootstrap --variant=minbase bookworm "$root" ${BERTH_MIRROR:+"$BERTH_MIRROR"}
    echo "        in $((SECONDS - started)) s"
  fi
  cp "$deb" "$root/root/berth.deb"
  inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"; }
  expect "apt installs the package and what it depends on" inside sh -c 'apt-get update -qq && apt-get install -qq -y --no-install-recommends /root/berth.deb'
  expect "there: berth --version" inside berth --version
  expect "there: kube-scheduler --version" inside kube-scheduler --version
  expect "there: berth demo" inside berth demo
  expect "there: berth config check" inside berth config check /etc/berth/scheduler.yaml
  expect "a changed configuration survives another installation" inside sh -c \
    'echo "# mine" >>/etc/berth/scheduler.yaml && dpkg -i /root/berth.deb && tail -n 1 /etc/berth/scheduler.yaml | grep -q mine'
  expect "purging leaves nothing" inside sh -c 'dpkg --purge berth && test ! -e /etc/berth && test ! -e /usr/bin/kube-scheduler'
fi
exit "$failed"
