// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/lister.h"
#include "framework/verdicts.h"
#include "plugins/volume_binding/asked_labels.h"
#include "plugins/volume_binding/pod_claims.h"

#include <cstdint>
#include <span>
#include <vector>

namespace berth::plugins {

// What a pod's unbound claims would get on many nodes. Borrows from the claims.
struct FoundEverywhere {
  struct Binding {
    framework::NodeId node;
    const api::PersistentVolumeClaim* claim;
    const api::PersistentVolume* volume;
  };
  // A volume to be made where the driver tells how much room there is; others do not matter to anybody.
  struct Provision {
    framework::NodeId node;
    const api::PersistentVolumeClaim* claim;
    int64_t room;
  };
  std::vector<Binding> bindings;
  std::vector<Provision> provisions;  // of each node in the order of FindVolumes
};

// FindVolumes on every passing node at once, by sets of nodes; rejects the nodes that do not do. `labels` are those of
// the claims.
framework::Status FindVolumesEverywhere(const PodClaims& claims, const AskedLabels& labels,
                                        const framework::ClusterView& cluster, const framework::Lister& lister,
                                        framework::Verdicts& verdicts);
// FindVolumesForUnbound on every one of `nodes` at once, all of which have passed.
Result<FoundEverywhere> FindVolumesForUnboundEverywhere(const PodClaims& claims, const AskedLabels& labels,
                                                        const framework::ClusterView& cluster,
                                                        const framework::Lister& lister,
                                                        std::span<const framework::NodeId> nodes);

}  // namespace berth::plugins
