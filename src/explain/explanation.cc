// SPDX-License-Identifier: Apache-2.0
#include "explain/explanation.h"

#include <algorithm>

namespace berth::explain {
namespace {

template <typename T>
const T* FindByName(const std::vector<T>& all, const std::string& name) {
  const auto it = std::find_if(all.begin(), all.end(), [&](const T& one) { return one.name == name; });
  return it == all.end() ? nullptr : &*it;
}

}  // namespace

const RejectedNode* Explanation::FindRejected(const std::string& node) const { return FindByName(rejected, node); }
const ScoredNode* Explanation::FindFeasible(const std::string& node) const { return FindByName(feasible, node); }

Comparison Compare(const ScoredNode& winner, const ScoredNode& other) {
  Comparison comparison{winner.name, other.name, winner.total - other.total, {}};
  // Both were scored by the same plugins in the same order.
  for (size_t i = 0; i < std::min(winner.parts.size(), other.parts.size()); ++i) {
    const int64_t difference = winner.parts[i].weighted - other.parts[i].weighted;
    if (difference != 0) comparison.differences.emplace_back(winner.parts[i].plugin, difference);
  }
  std::stable_sort(comparison.differences.begin(), comparison.differences.end(),
                   [](const auto& a, const auto& b) { return std::abs(a.second) > std::abs(b.second); });
  return comparison;
}

bool Explanation::Agrees(const std::string& node) const {
  return node.empty() ? outcome == Outcome::Placed && gated_by.empty() : FindFeasible(node) != nullptr;
}

}  // namespace berth::explain
