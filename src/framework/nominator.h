// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/pod_info.h"

#include <span>
#include <string_view>
#include <vector>

namespace berth::framework {

// Pods that preemption has promised a node to and that are not there yet. Engine thread only.
class Nominator {
 public:
  virtual ~Nominator() = default;
  virtual void Add(PodInfoPtr pod, std::string_view node_name) = 0;
  virtual void Remove(std::string_view pod_uid) = 0;
  // The node promised to the pod; empty when there is none.
  virtual std::string_view NodeOf(std::string_view pod_uid) const = 0;
  virtual std::span<const PodInfoPtr> PodsFor(std::string_view node_name) const = 0;
  virtual std::vector<std::string> NodesWithNominations() const = 0;
};

}  // namespace berth::framework
