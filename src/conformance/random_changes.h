// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <string>

// Updates as in real clusters: usually one field changes, now and then everything does.
namespace berth::conformance {

api::NodePtr RandomlyChanged(Dice& dice, const ClusterShape& shape, const api::Node& node);
// For a pod on a node: labels, the start of deletion, resizes.
api::PodPtr RandomlyChangedRunning(Dice& dice, const ClusterShape& shape, const api::Pod& pod);
// For a pending pod: labels, more tolerations, other cpu requests, no gates, generated claims.
api::PodPtr RandomlyChangedWaiting(Dice& dice, const api::Pod& pod);

// The pod as a kubelet reports it once it runs on the node.
api::PodPtr RunningOn(const api::Pod& pod, const std::string& node);
// The pod nominated to the node; without a nomination when `node` is empty.
api::PodPtr NominatedTo(const api::Pod& pod, const std::string& node);
// The pod while it is being evicted for another one.
api::PodPtr BeingEvicted(const api::Pod& pod);
// The pod without its host ports.
api::PodPtr WithoutHostPorts(const api::Pod& pod);

}  // namespace berth::conformance
