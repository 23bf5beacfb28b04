// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "support/cluster_shape.h"
#include "support/dice.h"

#include <string>

namespace berth::test {

// What distinguishes the pods of one cluster.
struct PodIdentity {
  std::string name;
  std::string uid;
  int32_t unique_port = 0;  // the host port of pods that must not share theirs; 0 draws one
};

// A pod that waits for a node.
api::PodPtr RandomPendingPod(Dice& dice, const ClusterShape& shape, const PodIdentity& identity);
// A pod that runs on the node; some are being deleted, resized or evicted.
api::PodPtr RandomRunningPod(Dice& dice, const ClusterShape& shape, const PodIdentity& identity,
                             const std::string& node);

}  // namespace berth::test
