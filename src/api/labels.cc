// SPDX-License-Identifier: Apache-2.0
#include "api/labels.h"

#include <algorithm>

namespace berth::api {
namespace {

auto LowerBound(auto& entries, std::string_view key) {
  return std::lower_bound(entries.begin(), entries.end(), key,
                          [](const Labels::Entry& entry, std::string_view k) { return entry.first.compare(k) < 0; });
}

}  // namespace

Labels::Labels(std::initializer_list<Entry> entries) {
  for (const auto& [key, value] : entries) Set(key, value);
}

const std::string* Labels::Find(std::string_view key) const {
  const auto it = LowerBound(entries_, key);
  return it != entries_.end() && it->first == key ? &it->second : nullptr;
}

void Labels::Set(std::string_view key, std::string_view value) {
  // Sorted input is the usual case: it appends.
  const auto it =
      entries_.empty() || entries_.back().first.compare(key) < 0 ? entries_.end() : LowerBound(entries_, key);
  if (it != entries_.end() && it->first == key) {
    it->second = value;
  } else {
    entries_.emplace(it, key, value);
  }
}

}  // namespace berth::api
