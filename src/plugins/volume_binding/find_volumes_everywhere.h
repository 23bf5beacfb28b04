// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/lister.h"
#include "framework/verdicts.h"
#include "plugins/volume_binding/asked_labels.h"
#include "plugins/volume_binding/pod_claims.h"

namespace berth::plugins {

// FindVolumes on every passing node at once, by sets of nodes; rejects the nodes that do not do. `labels` are those of
// the claims.
framework::Status FindVolumesEverywhere(const PodClaims& claims, const AskedLabels& labels,
                                        const framework::ClusterView& cluster, const framework::Lister& lister,
                                        framework::Verdicts& verdicts);

}  // namespace berth::plugins
