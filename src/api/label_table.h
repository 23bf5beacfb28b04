// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/labels.h"
#include "base/hash.h"
#include "base/shared_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace berth::api {

// Lets objects with equal labels share them, for as long as one of them is there. One thread asks; objects may go on
// any.
class LabelTable {
 public:
  Labels Shared(const Labels& labels) {
    if (labels.empty()) return labels;
    uint64_t hash = 0;
    for (const auto& [key, value] : labels) {
      hash = MixHash(MixHash(hash, std::hash<std::string>()(key)), std::hash<std::string>()(value));
    }
    std::shared_ptr<const Labels::Entries> known =
        entries_.Find(hash, [&](const Labels::Entries& candidate) { return std::ranges::equal(candidate, labels); });
    if (known == nullptr) known = entries_.Add(hash, Labels::Entries(labels.begin(), labels.end()));
    return Labels(std::move(known));
  }
  size_t size() const { return entries_.size(); }

 private:
  SharedTable<Labels::Entries> entries_;
};

}  // namespace berth::api
