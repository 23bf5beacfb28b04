// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "conformance/cluster_shape.h"
#include "conformance/dice.h"

#include <memory>
#include <string>
#include <vector>

namespace berth::conformance {

// What pods made from one template share.
struct PodTemplate {
  std::string namespace_;
  api::Labels labels;
  std::vector<api::OwnerReference> owners;
  std::shared_ptr<const api::PodSpec> spec;
};

// What distinguishes the pods of a cluster.
struct PodIdentity {
  std::string name;
  std::string uid;
  int32_t unique_port = 0;  // the host port of a pod that must not share it; 0 draws one
};

PodTemplate RandomPodTemplate(Dice& dice, const ClusterShape& shape);
// A pending pod of the template.
api::PodPtr PendingPodOf(const PodTemplate& from, const PodIdentity& identity);
// The same with a template of its own.
api::PodPtr RandomPendingPod(Dice& dice, const ClusterShape& shape, const PodIdentity& identity);
// A pod that runs on the node; some are being deleted, resized or evicted.
api::PodPtr RandomRunningPod(Dice& dice, const ClusterShape& shape, const PodIdentity& identity,
                             const std::string& node);

// The requests of a container.
api::ResourceList RandomRequests(Dice& dice, const ClusterShape& shape);
// Puts an in-place resize in progress: requested, allocated and actual resources of the containers differ.
void AddResize(Dice& dice, const api::PodSpec& spec, api::PodStatus& status);
void AddTolerations(Dice& dice, std::vector<api::Toleration>& tolerations);

}  // namespace berth::conformance
