// SPDX-License-Identifier: Apache-2.0
#include "framework/verdicts.h"

#include <algorithm>
#include <bit>

namespace berth::framework {
namespace {

// Moves the bits of `rejected` out of `passing` and notes their verdict.
void RejectWord(size_t word, Bitset::Word rejected, std::span<Bitset::Word> passing, Verdicts::Id verdict,
                std::vector<Verdicts::Id>& verdict_of_node) {
  passing[word] &= ~rejected;
  for (; rejected != 0; rejected &= rejected - 1) {
    verdict_of_node[word * Bitset::kWordBits + static_cast<size_t>(std::countr_zero(rejected))] = verdict;
  }
}

}  // namespace

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
  const std::span<Bitset::Word> passing = passing_.mutable_words();
  const size_t words = std::min(passing.size(), nodes.words().size());
  for (size_t w = 0; w < words; ++w) {
    if (const auto rejected = passing[w] & nodes.words()[w]; rejected != 0) {
      RejectWord(w, rejected, passing, verdict, verdict_of_node_);
    }
  }
}

void Verdicts::RejectOutside(const Bitset& nodes, Id verdict) {
  const std::span<Bitset::Word> passing = passing_.mutable_words();
  for (size_t w = 0; w < passing.size(); ++w) {
    const Bitset::Word kept = w < nodes.words().size() ? nodes.words()[w] : 0;
    if (const auto rejected = passing[w] & ~kept; rejected != 0) {
      RejectWord(w, rejected, passing, verdict, verdict_of_node_);
    }
  }
}

void Verdicts::RejectEverything(Id verdict) { RejectOutside(Bitset(), verdict); }

void Verdicts::Replace(NodeId node, const Status& status) {
  verdict_of_node_[node] = status.ok() ? kPass : Intern(status);
  passing_.Assign(node, status.ok());
}

const Status& Verdicts::Of(NodeId node) const { return table_[verdict_of_node_[node]]; }

}  // namespace berth::framework
