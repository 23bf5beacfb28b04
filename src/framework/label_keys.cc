// SPDX-License-Identifier: Apache-2.0
#include "framework/label_keys.h"

#include "base/hash.h"

#include <algorithm>
#include <functional>

namespace berth::framework {

uint64_t NameKey(std::string_view name, uint64_t use) { return MixHash(use, std::hash<std::string_view>()(name)); }

uint64_t PairKey(std::string_view name, std::string_view value, uint64_t use) {
  return MixHash(NameKey(name, use), std::hash<std::string_view>()(value));
}

void OfferLabels(const api::Labels& labels, std::vector<uint64_t>& keys, uint64_t use) {
  for (const auto& [name, value] : labels) {
    keys.push_back(NameKey(name, use));
    keys.push_back(PairKey(name, value, use));
  }
}

void OfferChangedLabels(const api::Labels& before, const api::Labels& after, std::vector<uint64_t>& keys,
                        uint64_t use) {
  for (const auto& [name, value] : after) {
    const std::string* old_value = before.Find(name);
    if (old_value != nullptr && *old_value == value) continue;
    keys.push_back(NameKey(name, use));
    keys.push_back(PairKey(name, value, use));
  }
  for (const auto& [name, value] : before) {
    if (!after.Has(name)) keys.push_back(NameKey(name, use));
  }
}

bool NeedSelected(const api::Selector& selector, std::vector<uint64_t>& keys, uint64_t use) {
  using Op = api::Selector::Op;
  if (selector.selects_nothing()) return true;
  const auto& requirements = selector.requirements();
  const auto with = [&](Op op) {
    return std::find_if(requirements.begin(), requirements.end(), [&](const auto& r) { return r.op == op; });
  };
  // All requirements must be met, so one of them is enough; values tell more than a name.
  if (const auto in = with(Op::In); in != requirements.end()) {
    for (const std::string& value : in->values) keys.push_back(PairKey(in->key, value, use));
    return true;
  }
  if (const auto exists = with(Op::Exists); exists != requirements.end()) {
    keys.push_back(NameKey(exists->key, use));
    return true;
  }
  return false;
}

}  // namespace berth::framework
