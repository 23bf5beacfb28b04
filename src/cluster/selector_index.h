// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "base/string_map.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cluster {

// Numbered selectors, found by a label they ask for. Every workload brings its own, so there may be thousands, of which
// one pod's labels concern a few. One thread at a time.
class SelectorIndex {
 public:
  using Number = uint32_t;

  // The number is not in use.
  void Insert(Number number, const api::Selector& selector);
  void Erase(Number number);

  // Calls f(number) for every selector that may match these labels; whether it does is for the caller to ask.
  template <typename F>
  void ForLabels(const api::Labels& labels, F&& f) {
    for (const Number number : by_no_label_) f(number);
    if (by_label_.empty()) return;
    for (const auto& [key, value] : labels) {
      AssignKey(key, value, scratch_);
      const auto it = by_label_.find(scratch_);
      if (it == by_label_.end()) continue;
      for (const Number number : it->second) f(number);
    }
  }

 private:
  static void AssignKey(std::string_view key, std::string_view value, std::string& text);
  std::vector<std::string> BestLabels(const api::Selector& selector) const;

  std::vector<std::vector<std::string>> found_by_;  // by number: keys of by_label_
  StringMap<std::vector<Number>> by_label_;
  std::vector<Number> by_no_label_;  // those that ask for no particular label
  std::string scratch_;              // kept for its memory
};

}  // namespace berth::cluster
