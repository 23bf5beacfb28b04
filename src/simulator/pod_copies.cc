// SPDX-License-Identifier: Apache-2.0
#include "simulator/pod_copies.h"

#include <memory>
#include <utility>

namespace berth::simulator {

using framework::PodInfo;
using framework::PodInfoPtr;

namespace {

// Neither changes what follows from the spec, so the traits are shared.
PodInfoPtr Copied(const PodInfoPtr& pod, std::string node, std::string nominated) {
  api::Pod copy = *pod->pod;
  copy.node_name = std::move(node);
  if (copy.status->nominated_node_name != nominated) {
    api::PodStatus status = *copy.status;
    status.nominated_node_name = std::move(nominated);
    copy.status = std::make_shared<const api::PodStatus>(std::move(status));
  }
  return std::make_shared<const PodInfo>(PodInfo{std::make_shared<const api::Pod>(std::move(copy)), pod->traits});
}

}  // namespace

PodInfoPtr WithNomination(const PodInfoPtr& pod, std::string node) { return Copied(pod, "", std::move(node)); }
PodInfoPtr WithNode(const PodInfoPtr& pod, std::string node) { return Copied(pod, std::move(node), ""); }

}  // namespace berth::simulator
