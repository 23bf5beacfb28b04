# SPDX-License-Identifier: Apache-2.0
# What the tests of the installed SDK share. Sourced, with ROOT set; makes $scratch, and $prefix with the SDK in it.
source "$ROOT/tests/deploy/tools.sh"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prefix=$scratch/prefix

# install_sdk BUILD: what `cmake --install` installs of a build.
install_sdk() { cmake --install "$1" --prefix "$prefix"; }

# build_project SOURCE BUILD: as a user would, with what ccache remembers of other folders.
build_project() {
  local launcher=()
  ! command -v ccache >/dev/null || launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Debug "${launcher[@]}" &&
    env CCACHE_BASEDIR="$scratch" CCACHE_NOHASHDIR=1 cmake --build "$2"
}
