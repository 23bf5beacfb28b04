// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/node_info.h"
#include "framework/status.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace berth::framework {

// The verdicts of Filter over all nodes: for each node still passing, or the first rejection it met. Thousands of nodes
// share a handful of distinct rejections, so a node holds a small number and the table holds each Status once.
class Verdicts {
 public:
  using Id = uint16_t;
  static constexpr Id kPass = 0;
  // The number of distinct rejections that are kept. Further ones share one entry per plugin and code, with
  // kTooManyReasons instead of their own reasons.
  static constexpr size_t kMaxDistinct = 64'000;
  static constexpr std::string_view kTooManyReasons = "too many distinct reasons to tell each";

  // All nodes of `candidates` pass until rejected.
  void Reset(const Bitset& candidates);

  // Nodes no plugin has rejected yet. FilterAll looks at these only.
  const Bitset& passing() const { return passing_; }
  bool Passes(NodeId node) const { return passing_.Test(node); }

  // Enters a rejection into the table, or finds the equal one that is there. The runtime sets the plugin beforehand.
  Id Intern(const Status& status);
  void Reject(NodeId node, Id verdict) {
    passing_.Reset(node);
    verdict_of_node_[node] = verdict;
    is_counted_ = false;
  }
  // Rejects nodes of one 64-node word at once: those set in `rejected` that still pass, each by `verdict(node)`.
  template <typename F>
  void RejectWord(size_t word, Bitset::Word rejected, F&& verdict) {
    rejected &= passing_.words()[word];
    passing_.mutable_words()[word] &= ~rejected;
    is_counted_ = false;
    for (; rejected != 0; rejected &= rejected - 1) {
      const auto node = static_cast<NodeId>(word * Bitset::kWordBits + static_cast<size_t>(std::countr_zero(rejected)));
      verdict_of_node_[node] = verdict(node);
    }
  }
  // Rejects every passing node that is in `nodes` (or, with RejectOutside, is not).
  void RejectAll(const Bitset& nodes, Id verdict);
  void RejectOutside(const Bitset& nodes, Id verdict);
  void RejectEverything(Id verdict);
  // Takes a rejection back, or replaces it: the nominated-pods pass judges some nodes again.
  void Replace(NodeId node, const Status& status);

  // Success for nodes that pass (or were never candidates).
  const Status& Of(NodeId node) const;
  Id IdOf(NodeId node) const { return verdict_of_node_[node]; }
  // How many nodes hold each verdict of the table; [kPass] means nothing.
  // Counted when first asked after a change, and valid until the next. One thread at a time.
  const std::vector<size_t>& Counts() const;
  std::span<const Status> table() const { return table_; }
  void set_plugin(std::string_view plugin) { plugin_ = plugin; }

 private:
  // The table's entry for that rejection; kPass when there is none.
  Id Find(Code code, std::string_view plugin, std::span<const std::string> reasons) const;
  Id Enter(Status status);
  // Where in buckets_ the rejection is, or would be.
  size_t BucketOf(Code code, std::string_view plugin, std::span<const std::string> reasons) const;
  void GrowBuckets();

  std::vector<Id> verdict_of_node_;
  std::vector<Status> table_;  // [kPass] is Success
  // Finds entries beyond the first few, which are just looked through: their ids by hash, kPass where free. The next
  // bucket is tried when one is taken by another; at least half are free.
  std::vector<Id> buckets_;
  Bitset passing_;
  std::string_view plugin_;
  mutable std::vector<size_t> counts_;  // by id; good while is_counted_
  mutable bool is_counted_ = false;
};

}  // namespace berth::framework
