# SPDX-License-Identifier: Apache-2.0
# What ./berth, ./test and .ci/run share: finding missing packages and building quietly. Sourced, with ROOT set.

# One line per need: package, then a command or a file that shows it is there.
BUILD_NEEDS="
g++                 g++
cmake               cmake
ninja-build         ninja
ccache              ccache
libfmt-dev          /usr/include/fmt/format.h
libyaml-cpp-dev     /usr/include/yaml-cpp/yaml.h
nlohmann-json3-dev  /usr/include/nlohmann/json.hpp
libprotozero-dev    /usr/include/protozero/pbf_reader.hpp
libcli11-dev        /usr/include/CLI/CLI.hpp
prometheus-cpp-dev  /usr/include/prometheus/text_serializer.h
libspdlog-dev       /usr/include/spdlog/spdlog.h
libboost1.81-dev    /usr/include/boost/asio/io_context.hpp
libnghttp2-dev      /usr/include/nghttp2/nghttp2.h
libssl-dev          /usr/include/openssl/ssl.h
libprotobuf-dev     /usr/include/google/protobuf/message_lite.h
protobuf-compiler   protoc
libgtest-dev        /usr/include/gtest/gtest.h
python3             python3
"
# What tests need besides: plugins in Python. Those in Go need Go, which tests/kubernetes/go.sh finds or installs.
TEST_NEEDS="
python3-grpcio      /usr/lib/python3/dist-packages/grpc/__init__.py
python3-protobuf    /usr/lib/python3/dist-packages/google/protobuf/__init__.py
"
CHECK_NEEDS="
git                 git
clang               clang++
libclang-rt-14-dev  /usr/lib/llvm-14/lib/clang/14.0.6/lib/linux/libclang_rt.asan-x86_64.a
clang-format        clang-format
clang-tidy          clang-tidy
"
# What cpack needs to make the Debian package.
PACKAGE_NEEDS="
dpkg-dev            dpkg-shlibdeps
file                file
"
# What tests/deploy/ needs besides.
DEPLOY_NEEDS="
prometheus          promtool
python3-yaml        /usr/lib/python3/dist-packages/yaml/__init__.py
openssl             openssl
systemd             systemd-analyze
"

note() { printf 'berth: %s\n' "$*" >&2; }

# install_missing NEEDS…: installs the packages whose command or file is absent; says nothing when all are there.
install_missing() {
  local missing=() package sign
  while read -r package sign; do
    [[ -z $package ]] && continue
    if [[ $sign == /* ]]; then [[ -e $sign ]] || missing+=("$package")
    else command -v "$sign" >/dev/null || missing+=("$package"); fi
  done <<<"$(printf '%s\n' "$@")"
  ((${#missing[@]})) || return 0
  if ! command -v apt-get >/dev/null; then
    note "please install the equivalents of these Debian packages: ${missing[*]}"
    return 1
  fi
  local as_root=()
  if ((EUID != 0)); then as_root=(sudo); fi
  note "installing ${missing[*]}"
  # A machine that has just started may be updating itself.
  local patient=(-o DPkg::Lock::Timeout=300 -o Acquire::Retries=5)
  logged install "${as_root[@]}" apt-get "${patient[@]}" update -qq &&
    logged install "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get "${patient[@]}" install -qq -y --no-install-recommends "${missing[@]}"
}

# logged NAME COMMAND…: runs the command with its output in build/log/NAME.log, shown when it fails.
logged() {
  local log="$ROOT/build/log/$1.log" code=0
  shift
  mkdir -p "$ROOT/build/log"
  "$@" >"$log" 2>&1 || code=$?
  ((code)) || return 0
  # A failing build ends with the errors; the rest stays in the log.
  tail -n 60 "$log" >&2
  note "failed: $1 (all output: $log)"
  return "$code"
}

# build PRESET [TARGET…]: configures when there is no build folder yet, then builds what changed.
build() {
  local preset=$1 folder="$ROOT/build/$1"
  shift
  if [[ ! -f $folder/build.ninja ]]; then
    note "building (the first time takes a few minutes; output in build/log/$preset.log)"
    logged "$preset-configure" env -C "$ROOT" cmake --preset "$preset" || return
  fi
  logged "$preset" cmake --build "$folder" --target "${@:-all}" -j "$(nproc)"
}

# run_tests PRESET [CTEST ARGUMENTS…]: prints failing tests in full, and ctest's closing lines.
run_tests() {
  local preset=$1 log="$ROOT/build/log/$1-tests.log" code=0
  shift
  env -C "$ROOT" ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(nproc)" "$@" \
    >"$log" 2>&1 || code=$?
  if ((code)); then grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test +#.* Passed )' "$log"
  else sed -n '/tests passed/,$p' "$log"; fi
  return "$code"
}
