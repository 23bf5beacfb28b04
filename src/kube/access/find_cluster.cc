// SPDX-License-Identifier: Apache-2.0
#include "kube/access/find_cluster.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

// A kubeconfig that describes nothing is no obstacle inside a cluster.
Result<ClusterAccess> OrInCluster(Result<ClusterAccess> access, const ServiceAccountFiles& files,
                                  const Surroundings& surroundings) {
  if (access || access.error().code != ErrorCode::NotFound) return access;
  Result<ClusterAccess> inside = LoadInCluster(files, surroundings);
  if (!inside && inside.error().code == ErrorCode::NotFound) return access;
  return inside;
}

}  // namespace

Result<ClusterAccess> FindClusterForScheduler(const std::string& kubeconfig, const std::string& master,
                                              const ServiceAccountFiles& files, const Surroundings& surroundings) {
  if (kubeconfig.empty() && master.empty()) {
    Result<ClusterAccess> inside = LoadInCluster(files, surroundings);
    if (inside || inside.error().code != ErrorCode::NotFound) return inside;
    return NotFoundError(
        fmt::format("neither --kubeconfig nor --master was specified, and this process does not run in a cluster: {}; "
                    "give --kubeconfig",
                    inside.error().message));
  }
  KubeconfigOverrides overrides;
  overrides.server = master;
  FoundKubeconfig found;
  if (!kubeconfig.empty()) {
    BERTH_ASSIGN_OR_RETURN(found, ReadKubeconfigFiles(kubeconfig, surroundings));
  }
  return OrInCluster(ResolveAccess(found, overrides, surroundings), files, surroundings);
}

Result<ClusterAccess> FindClusterForUser(const std::string& kubeconfig, const KubeconfigOverrides& overrides,
                                         const ServiceAccountFiles& files, const Surroundings& surroundings) {
  BERTH_ASSIGN_OR_RETURN(const FoundKubeconfig found, ReadKubeconfigFiles(kubeconfig, surroundings));
  Result<ClusterAccess> access = OrInCluster(ResolveAccess(found, overrides, surroundings), files, surroundings);
  if (access && !overrides.namespace_name.empty()) access->namespace_name = overrides.namespace_name;
  return access;
}

}  // namespace berth::kube
