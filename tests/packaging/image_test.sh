#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds deploy/Dockerfile and tries what the image holds: image_test.sh [FOLDER [ARGUMENTS OF buildah bud…]]
# Needs root, buildah and debootstrap, but no registry: a Debian 12 from debootstrap is in the place of debian:12-slim. With
# FOLDER that and the images stay there, and the next test starts from them. Compiling takes as long as the first ./berth.
set -euo pipefail
ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
source "$ROOT/tests/deploy/tools.sh"
need buildah "Debian: buildah"
need debootstrap "Debian: debootstrap"
((EUID == 0)) || cannot "debootstrap needs root"

scratch=$(mktemp -d)
folder=${1:-$scratch/store}
shift $(($# > 0))
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
base=docker.io/library/debian:12-slim
image=localhost/berth:test
store() { buildah --root "$folder" --runroot "$scratch/run" "$@"; }

clean_up() {
  store rm --all >/dev/null || true
  umount "$folder/overlay" 2>/dev/null || true
  rm -rf --one-file-system "$scratch"
}
trap clean_up EXIT

# What debian:12-slim is: of documents only the copyrights, and an apt that keeps no archives.
make_base() {
  local tree=$scratch/debian container
  debootstrap --variant=minbase bookworm "$tree" ${BERTH_MIRROR:+"$BERTH_MIRROR"}
  printf 'path-exclude %s/*\n' /usr/share/{doc,info,locale,man} >"$tree/etc/dpkg/dpkg.cfg.d/slim"
  echo 'path-include /usr/share/doc/*/copyright' >>"$tree/etc/dpkg/dpkg.cfg.d/slim"
  find "$tree/usr/share/doc" ! -type d ! -name copyright -delete
  rm -rf "$tree"/usr/share/{info,locale,man}/* "$tree"/var/cache/apt/* "$tree"/var/lib/apt/lists/*
  echo 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin || true"; };' \
    >"$tree/etc/apt/apt.conf.d/slim"
  container=$(store from scratch)
  store copy "$container" "$tree" /
  store config --cmd bash "$container"
  store commit --rm "$container" "$base"
  rm -rf "$tree"
}
build() { store bud --pull-never --isolation chroot --layers "$@" -t "$image" -f "$ROOT/deploy/Dockerfile" "$ROOT"; }

# quietly WHAT COMMAND…: shows the end of its output when it fails, and ends the test.
quietly() {
  local what=$1 started=$SECONDS code
  shift
  set +e
  (set -e; "$@") >"$scratch/log" 2>&1
  code=$?
  set -e
  ((code == 0)) || { tail -n 60 "$scratch/log"; echo "FAILED  $what"; exit 1; }
  echo "ok      $what, in $((SECONDS - started)) s"
}
store inspect --type image "$base" >/dev/null 2>&1 || quietly "a Debian 12 is made" make_base
quietly "the image is built" build "$@"

of_image() { store inspect --type image --format "{{$1}}" "$image"; }
user=$(of_image .OCIv1.Config.User)
tree=$(store mount "$(store from --pull-never "$image")")
packages=$(dpkg-query --root="$tree" -W -f '${Package}\n')

# in_image COMMAND…: as a pod with a read-only root runs it: the image's user and files, and nothing of ours.
in_image() {
  unshare --mount --pid --fork sh -c 'tree=$1 user=$2; shift 2
    mount --bind "$tree" "$tree" && mount -o remount,bind,ro "$tree" &&
    mount -t proc proc "$tree/proc" && mount --rbind /dev "$tree/dev" &&
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot --userspec="$user" --groups= "$tree" "$@"' - "$tree" "$user" "$@"
}
equal() { [[ $1 == "$2" ]] || { printf 'expected: %s\n     got: %s\n' "$1" "$2"; return 1; }; }
fails_with() {
  local output code=0
  output=$("${@:2}" 2>&1) || code=$?
  [[ $code -ne 0 && $output == *"$1"* ]] || { printf 'exit code %s:\n%s\n' "$code" "$output"; return 1; }
}
prints() { in_image "${@:2}" | diff "$1" -; }
all_libraries() {
  local libraries
  libraries=$(in_image ldd /usr/bin/berth)
  [[ $libraries == *libfmt* && $libraries != *'not found'* ]] || { echo "$libraries"; return 1; }
}
none_of() { ! grep -E "$1" <<<"$packages"; }
no_files() {
  local found
  found=$(cd "$tree" && find "$@" ! -type d) && [[ -z $found ]] || { echo "$found"; return 1; }
}

expect "the user is not root" equal 65532:65532 "$user"
expect "it starts berth" equal '[berth] []' "$(of_image .OCIv1.Config.Entrypoint) $(of_image .OCIv1.Config.Cmd)"
expect "its port is kube-scheduler's" equal 'map[10259/tcp:{}]' "$(of_image .OCIv1.Config.ExposedPorts)"
expect "there: the user" prints <(echo 65532:65532) sh -c 'echo "$(id -u):$(id -g)"'
expect "there: nothing can be written" fails_with 'Read-only file system' in_image touch /tmp/file
expect "there: berth finds its libraries" all_libraries
expect "there: berth --version" in_image berth --version
expect "there: kube-scheduler --version" in_image kube-scheduler --version
expect "there: berth demo" in_image berth demo
expect "there: berth config check" in_image berth config check /etc/berth/scheduler.yaml
for overlay in second-scheduler shadow replace; do
  expect "there: berth manifests --overlay $overlay" prints "$ROOT/deploy/manifests/$overlay.yaml" berth manifests --overlay "$overlay"
done
expect "certificates are there" test -s "$tree/etc/ssl/certs/ca-certificates.crt"
expect "copyrights are there" test -s "$tree/usr/share/doc/berth/copyright" -a -s "$tree/usr/share/doc/libssl3/copyright"
expect "nothing to build with is there" none_of '^(g\+\+|gcc|cpp|clang|binutils|cmake|ninja-build|make|python3)(-[0-9.]+)?$|-dev$'
expect "nothing is left of the installation" no_files tmp var/lib/apt/lists var/cache/apt/archives/partial
echo "        $(du -sm "$tree" | cut -f 1) MB, of them $(du -sm "$tree/usr/bin/berth" | cut -f 1) MB berth"
exit "$failed"
