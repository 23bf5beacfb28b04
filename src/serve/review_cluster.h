// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/in_cluster.h"
#include "kube/access/surroundings.h"
#include "log/logger.h"

#include <optional>
#include <string>

namespace berth::serve {

// The API server to ask about others: that of the kubeconfig, which must be usable then, or that of the cluster in
// which this process runs. None: it runs in none. `purpose` is "authentication" or "authorization".
Result<std::optional<kube::ClusterAccess>> FindReviewCluster(const std::string& kubeconfig, const std::string& purpose,
                                                             const kube::ServiceAccountFiles& files,
                                                             const kube::Surroundings& surroundings,
                                                             const log::Logger& log);

}  // namespace berth::serve
