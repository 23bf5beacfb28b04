// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/storage_scorer.h"

#include "plugins/storage/claims.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

namespace berth::plugins {
namespace {

using framework::NodeId;

constexpr int64_t kFull = 100;  // percent

// Wraps around as upstream's numbers do: shares beyond 92 PB are nothing that anybody relies on.
int64_t Sum(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }
int64_t Product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

void AddBinding(const api::PersistentVolumeClaim& claim, const api::PersistentVolume& volume, StorageShare& share) {
  share.requested = Sum(share.requested, claim.storage_request.Value());
  share.capacity = Sum(share.capacity, volume.storage.Value());
}

// Claims of a class share its room.
void AddProvision(const api::PersistentVolumeClaim& claim, int64_t room, StorageShare& share) {
  share.requested = Sum(share.requested, claim.storage_request.Value());
  share.capacity = room;
}

// Something for each of a few storage classes, made when it is first asked for.
template <typename T>
class ByClass {
 public:
  template <typename Make>
  T& At(std::string_view storage_class, Make&& make) {
    const auto known = std::find(classes_.begin(), classes_.end(), storage_class);
    if (known != classes_.end()) return values_[static_cast<size_t>(known - classes_.begin())];
    classes_.push_back(storage_class);
    values_.push_back(make());
    return values_.back();
  }
  const std::vector<T>& values() const { return values_; }

 private:
  std::vector<std::string_view> classes_;
  std::vector<T> values_;
};

using ShareColumn = std::vector<std::optional<StorageShare>>;  // by NodeId

StorageShare& ShareOf(NodeId node, ShareColumn& column) {
  std::optional<StorageShare>& share = column[node];
  return share ? *share : share.emplace();
}

}  // namespace

int64_t StorageScorer::Score(std::span<const StorageShare> shares) const {
  if (shares.empty()) return 0;
  int64_t sum = 0;
  for (const StorageShare& share : shares) sum += ShareScore(share);
  return static_cast<int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(shares.size())));
}

int64_t StorageScorer::Score(const FoundVolumes& found) const {
  ByClass<StorageShare> shares;
  const auto share_of = [&](std::string_view storage_class) -> StorageShare& {
    return shares.At(storage_class, [] { return StorageShare(); });
  };
  for (const FoundVolumes::Binding& binding : found.bindings) {
    AddBinding(*binding.claim, *binding.volume, share_of(binding.volume->storage_class_name));
  }
  if (!found.bindings.empty()) return Score(shares.values());
  for (const FoundVolumes::Provision& provision : found.provisions) {
    if (!provision.room) continue;
    AddProvision(*provision.claim, *provision.room, share_of(storage::ClassOf(*provision.claim)));
  }
  return Score(shares.values());
}

void StorageScorer::ScoreAll(const FoundEverywhere& found, framework::ScoreColumn& scores) const {
  if (found.bindings.empty() && found.provisions.empty()) return scores.SetAll(0);
  const std::span<int64_t> values = scores.FreshValues();
  ByClass<ShareColumn> columns;
  const auto column_of = [&](std::string_view storage_class) -> ShareColumn& {
    return columns.At(storage_class, [&] { return ShareColumn(values.size()); });
  };
  Bitset has_binding(values.size());
  for (const FoundEverywhere::Binding& binding : found.bindings) {
    has_binding.Set(binding.node);
    AddBinding(*binding.claim, *binding.volume, ShareOf(binding.node, column_of(binding.volume->storage_class_name)));
  }
  for (const FoundEverywhere::Provision& provision : found.provisions) {
    if (has_binding.Test(provision.node)) continue;
    AddProvision(*provision.claim, provision.room,
                 ShareOf(provision.node, column_of(storage::ClassOf(*provision.claim))));
  }
  std::vector<StorageShare> shares;
  for (const NodeId node : scores.feasible()) {
    shares.clear();
    for (const ShareColumn& column : columns.values()) {
      if (column[node]) shares.push_back(*column[node]);
    }
    values[node] = Score(shares);
  }
}

int64_t StorageScorer::ShareScore(const StorageShare& share) const {
  const auto [requested, capacity] = share;
  if (capacity <= 0 || requested > capacity) return shape_.ScoreAt(kFull);
  return shape_.ScoreAt(Product(requested, kFull) / capacity);
}

}  // namespace berth::plugins
