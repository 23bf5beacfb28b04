// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloom_column.h"

#include <berth/plugin.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace coarse {

inline constexpr std::string_view kCoarseFilter = "CoarseFilter";

struct CoarseFilterArgs final : berth::TypedArgs {
  int64_t bits = 256;       // of the Bloom filter of each node
  int64_t hashes = 3;       // bits that each label sets
  int64_t max_nodes = 200;  // more are not named

  void Decode(berth::FieldReader& reader) override;
  void Encode(berth::api::Value& map) const override;
  std::vector<std::string> Validate(const std::string& path, const berth::FeatureGates& gates) const override;
};

// Drops at PreFilter the nodes that lack a label of the pod's nodeSelector for certain, by a Bloom filter of the labels
// of each node. Some that lack one are left: the exact answer is NodeAffinity's.
class CoarseFilter final : public berth::PreFilterPlugin,
                           public berth::EnqueueExtensions,
                           public berth::VerdictsByTemplate {
 public:
  using Args = CoarseFilterArgs;

  CoarseFilter(const CoarseFilterArgs& args, berth::Handle& handle);

  berth::PreFilterResult PreFilter(berth::CycleState& state, const berth::PodInfo& pod,
                                   berth::IndexedCluster& cluster) override;
  std::vector<berth::ClusterEventWithHint> EventsToRegister() const override;

 private:
  // Reads the labels of the nodes that have changed.
  void BringUpToDate(const berth::ClusterView& cluster);

  const size_t max_nodes_;
  const berth::log::Logger log_;
  BloomColumn labels_;
  std::vector<uint64_t> versions_;  // of the rows that were read, by NodeId
};

}  // namespace coarse
