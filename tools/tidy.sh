#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy over folders of src/: tools/tidy.sh [folder…]. Without arguments: the contract and what runs it.
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
source "$ROOT/tools/setup.sh"
cd "$ROOT"
folders=("${@:-}")
[[ -n ${folders[0]} ]] || folders=(base net home kube serve framework cluster queue runtime scheduler)

# A configuration that clang-tidy cannot read is dropped without a failing exit code: prove that ours is in force.
mkdir -p build
cat >build/tidy_must_fail.cc <<'END'
#include "base/mutex.h"
int badly_Named() { return 1; }
struct Counter {
  berth::Mutex mutex;
  int value BERTH_GUARDED_BY(mutex) = 0;
};
int WithoutItsLock(const Counter& counter) { return counter.value; }
END
findings=$(clang-tidy --quiet build/tidy_must_fail.cc -- -std=c++20 -Isrc -Wthread-safety 2>/dev/null || true)
for expected in readability-identifier-naming clang-diagnostic-thread-safety; do
  [[ $findings == *"$expected"* ]] && continue
  note "clang-tidy accepted a file that it must refuse for $expected: is .clang-tidy read?"
  exit 1
done

logged tidy-configure cmake --preset tidy
files=()
for folder in "${folders[@]}"; do
  while read -r file; do files+=("$file"); done < <(git ls-files "src/$folder/*.cc" | grep -vE '(_test|/test_[a-z0-9_]+)\.cc$')
done
# How many warnings system headers gave is no news, and would bury the findings.
logged tidy bash -o pipefail -c 'printf "%s\0" "$@" | xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p build/tidy 2>&1 |
  sed -E "/^[0-9]+ warnings? generated\.$/d"' _ "${files[@]}"
echo "${#files[@]} files in ${folders[*]}: no findings"
