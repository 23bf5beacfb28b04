// SPDX-License-Identifier: Apache-2.0
#include "api/labels.h"

#include <algorithm>

namespace berth::api {
namespace {

bool KeyIsLess(const Labels::Entry& entry, std::string_view key) { return entry.first.compare(key) < 0; }

}  // namespace

Labels::Labels(Entries entries) {
  if (entries.empty()) return;
  // Sorted input is the usual case.
  const auto by_key = [](const Entry& a, const Entry& b) { return a.first < b.first; };
  if (!std::ranges::is_sorted(entries, by_key)) std::ranges::stable_sort(entries, by_key);
  const auto is_followed = [](const Entry& a, const Entry& b) { return a.first == b.first; };
  for (auto it = std::ranges::adjacent_find(entries, is_followed); it != entries.end();
       it = std::adjacent_find(it, entries.end(), is_followed)) {
    it = entries.erase(it);
  }
  entries.shrink_to_fit();
  entries_ = std::make_shared<const Entries>(std::move(entries));
}

const std::string* Labels::Find(std::string_view key) const {
  const Entry* const it = std::lower_bound(begin(), end(), key, KeyIsLess);
  return it != end() && it->first == key ? &it->second : nullptr;
}

void Labels::Set(std::string_view key, std::string_view value) {
  Entries changed(begin(), end());
  const auto it = std::lower_bound(changed.begin(), changed.end(), key, KeyIsLess);
  if (it != changed.end() && it->first == key) {
    it->second = value;
  } else {
    changed.emplace(it, key, value);
  }
  entries_ = std::make_shared<const Entries>(std::move(changed));
}

}  // namespace berth::api
