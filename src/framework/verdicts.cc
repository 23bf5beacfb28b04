// SPDX-License-Identifier: Apache-2.0
#include "framework/verdicts.h"

#include <algorithm>

namespace berth::framework {
void Verdicts::Reset(const Bitset& candidates) {
  passing_ = candidates;
  verdict_of_node_.assign(candidates.size(), kPass);
  table_.assign(1, Status::Success());
}

Verdicts::Id Verdicts::Intern(const Status& status) {
  const Status named = status.plugin().empty() ? status.By(plugin_) : status;
  for (size_t i = 1; i < table_.size(); ++i) {
    if (table_[i].code() == named.code() && table_[i].plugin() == named.plugin() &&
        table_[i].reasons() == named.reasons()) {
      return static_cast<Id>(i);
    }
  }
  BERTH_CHECK(table_.size() <= UINT16_MAX);
  table_.push_back(named);
  return static_cast<Id>(table_.size() - 1);
}

void Verdicts::RejectAll(const Bitset& nodes, Id verdict) {
  const size_t words = std::min(passing_.words().size(), nodes.words().size());
  for (size_t w = 0; w < words; ++w) {
    RejectWord(w, nodes.words()[w], [verdict](NodeId) { return verdict; });
  }
}

void Verdicts::RejectOutside(const Bitset& nodes, Id verdict) {
  for (size_t w = 0; w < passing_.words().size(); ++w) {
    const Bitset::Word kept = w < nodes.words().size() ? nodes.words()[w] : 0;
    RejectWord(w, ~kept, [verdict](NodeId) { return verdict; });
  }
}

void Verdicts::RejectEverything(Id verdict) { RejectOutside(Bitset(), verdict); }

void Verdicts::Replace(NodeId node, const Status& status) {
  verdict_of_node_[node] = status.ok() ? kPass : Intern(status);
  passing_.Assign(node, status.ok());
}

std::vector<size_t> Verdicts::Counts() const {
  std::vector<size_t> counts(table_.size());
  if (table_.size() > 32) {
    for (const Id id : verdict_of_node_) ++counts[id];
    return counts;
  }
  // Few verdicts: one vectorised pass each beats counting through memory.
  for (size_t id = 1; id < table_.size(); ++id) {
    counts[id] = static_cast<size_t>(std::count(verdict_of_node_.begin(), verdict_of_node_.end(), static_cast<Id>(id)));
  }
  return counts;
}

const Status& Verdicts::Of(NodeId node) const { return table_[verdict_of_node_[node]]; }

}  // namespace berth::framework
