// SPDX-License-Identifier: Apache-2.0
#include "serve/review_cluster.h"

#include "kube/access/find_cluster.h"

#include <utility>

#include <fmt/format.h>

namespace berth::serve {

Result<std::optional<kube::ClusterAccess>> FindReviewCluster(const std::string& kubeconfig, const std::string& purpose,
                                                             const kube::ServiceAccountFiles& files,
                                                             const kube::Surroundings& surroundings,
                                                             const log::Logger& log) {
  if (!kubeconfig.empty()) {
    Result<kube::ClusterAccess> named = kube::FindClusterForScheduler(kubeconfig, {}, files, surroundings);
    if (named) return std::optional(*std::move(named));
    return Error{named.error().code,
                 fmt::format("failed to get delegated {} kubeconfig: {}", purpose, named.error().message)};
  }
  Result<kube::ClusterAccess> inside = kube::LoadInCluster(files, surroundings);
  if (inside) return std::optional(*std::move(inside));
  if (inside.error().code != ErrorCode::NotFound) {
    log.Warning("Failed to read in-cluster kubeconfig",
                {{"purpose", "delegated " + purpose}, {"error", inside.error().message}});
  }
  return std::optional<kube::ClusterAccess>();
}

}  // namespace berth::serve
