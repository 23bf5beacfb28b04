// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <string>

// Updates as clusters see them: mostly one thing changes, now and then everything does.
namespace berth::conformance {

api::NodePtr RandomlyChanged(Dice& dice, const ClusterShape& shape, const api::Node& node);
// A pod that has a node: labels, the start of its deletion, resizes.
api::PodPtr RandomlyChangedRunning(Dice& dice, const ClusterShape& shape, const api::Pod& pod);
// A pod that waits: labels, more tolerations, fewer requests, no gates, generated claims.
api::PodPtr RandomlyChangedWaiting(Dice& dice, const api::Pod& pod);

// The pod as a kubelet reports it once it runs on the node.
api::PodPtr RunningOn(const api::Pod& pod, const std::string& node);
// The pod promised the node; none when `node` is empty.
api::PodPtr NominatedTo(const api::Pod& pod, const std::string& node);
// The pod that is being evicted for another one.
api::PodPtr BeingEvicted(const api::Pod& pod);
// The pod without its host ports.
api::PodPtr WithoutHostPorts(const api::Pod& pod);

}  // namespace berth::conformance
