// SPDX-License-Identifier: Apache-2.0
#include "framework/verdicts.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace berth::framework {

namespace {

// A plugin has a handful of reasons, and comparing that many costs less than hashing one.
constexpr size_t kFew = 8;

bool Equals(const Status& status, Code code, std::string_view plugin, std::span<const std::string> reasons) {
  return status.code() == code && status.plugin() == plugin && std::ranges::equal(status.reasons(), reasons);
}

size_t HashOf(Code code, std::string_view plugin, std::span<const std::string> reasons) {
  constexpr size_t kMix = 0x9e3779b97f4a7c15;
  size_t hash = std::hash<std::string_view>()(plugin) + static_cast<size_t>(code);
  for (const std::string& reason : reasons) hash = (hash ^ std::hash<std::string_view>()(reason)) * kMix;
  return hash ^ (hash >> 32U);
}

}  // namespace

void Verdicts::Reset(const Bitset& candidates) {
  passing_ = candidates;
  verdict_of_node_.assign(candidates.size(), kPass);
  is_counted_ = false;
  table_.assign(1, Status::Success());
  buckets_.clear();
}

Verdicts::Id Verdicts::Intern(const Status& status) {
  const std::string_view plugin = status.plugin().empty() ? plugin_ : status.plugin();
  if (const Id known = Find(status.code(), plugin, status.reasons()); known != kPass) return known;
  if (table_.size() <= kMaxDistinct) return Enter(status.By(plugin));
  const Status shared = Status(status.code(), {std::string(kTooManyReasons)}).By(plugin);
  const Id known = Find(shared.code(), plugin, shared.reasons());
  return known != kPass ? known : Enter(shared);
}

Verdicts::Id Verdicts::Find(Code code, std::string_view plugin, std::span<const std::string> reasons) const {
  const size_t few = std::min(table_.size(), 1 + kFew);
  for (size_t i = 1; i < few; ++i) {
    if (Equals(table_[i], code, plugin, reasons)) return static_cast<Id>(i);
  }
  return buckets_.empty() ? kPass : buckets_[BucketOf(code, plugin, reasons)];
}

Verdicts::Id Verdicts::Enter(Status status) {
  BERTH_CHECK(table_.size() <= UINT16_MAX);  // room is kept for every code of hundreds of plugins
  const auto id = static_cast<Id>(table_.size());
  table_.push_back(std::move(status));
  is_counted_ = false;
  if (id > kFew) {
    if (2 * (id - kFew) > buckets_.size()) GrowBuckets();
    buckets_[BucketOf(table_[id].code(), table_[id].plugin(), table_[id].reasons())] = id;
  }
  return id;
}

size_t Verdicts::BucketOf(Code code, std::string_view plugin, std::span<const std::string> reasons) const {
  const size_t mask = buckets_.size() - 1;
  size_t bucket = HashOf(code, plugin, reasons) & mask;
  while (buckets_[bucket] != kPass && !Equals(table_[buckets_[bucket]], code, plugin, reasons)) {
    bucket = (bucket + 1) & mask;
  }
  return bucket;
}

void Verdicts::GrowBuckets() {
  constexpr size_t kFirstBuckets = 64;
  const std::vector<Id> entered =
      std::exchange(buckets_, std::vector<Id>(std::max(kFirstBuckets, 4 * buckets_.size())));
  for (const Id id : entered) {
    if (id == kPass) continue;
    const Status& status = table_[id];
    buckets_[BucketOf(status.code(), status.plugin(), status.reasons())] = id;
  }
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
  is_counted_ = false;
  passing_.Assign(node, status.ok());
}

const std::vector<size_t>& Verdicts::Counts() const {
  if (is_counted_) return counts_;
  is_counted_ = true;
  counts_.assign(table_.size(), 0);
  if (table_.size() > 32) {
    for (const Id id : verdict_of_node_) ++counts_[id];
    return counts_;
  }
  // Few verdicts: one vectorised pass each beats counting through memory.
  for (size_t id = 1; id < table_.size(); ++id) {
    counts_[id] =
        static_cast<size_t>(std::count(verdict_of_node_.begin(), verdict_of_node_.end(), static_cast<Id>(id)));
  }
  return counts_;
}

const Status& Verdicts::Of(NodeId node) const { return table_[verdict_of_node_[node]]; }

}  // namespace berth::framework
