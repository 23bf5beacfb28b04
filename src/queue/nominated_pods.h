// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"
#include "framework/nominator.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::queue {

// Keeps which pods were promised which node, in order of promise. Engine thread only.
class NominatedPods final : public framework::Nominator {
 public:
  void Add(framework::PodInfoPtr pod, std::string_view node_name) override;
  void Remove(std::string_view pod_uid) override;
  std::string_view NodeOf(std::string_view pod_uid) const override;
  std::span<const framework::PodInfoPtr> PodsFor(std::string_view node_name) const override;
  std::vector<std::string> NodesWithNominations() const override;
  // Grows with every change.
  uint64_t revision() const { return revision_; }

 private:
  StringMap<std::vector<framework::PodInfoPtr>> pods_by_node_;
  StringMap<std::string> node_of_pod_;  // by pod uid
  uint64_t revision_ = 0;
};

}  // namespace berth::queue
