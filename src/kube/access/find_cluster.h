// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/in_cluster.h"
#include "kube/access/kubeconfig.h"
#include "kube/access/surroundings.h"

#include <string>

namespace berth::kube {

// The cluster of a scheduler, as kube-scheduler finds it: by --kubeconfig (clientConnection.kubeconfig) and --master,
// or, with neither, from inside the cluster. KUBECONFIG and ~/.kube/config are not looked at.
Result<ClusterAccess> FindClusterForScheduler(const std::string& kubeconfig, const std::string& master,
                                              const ServiceAccountFiles& files, const Surroundings& surroundings);

// The cluster of a person, as kubectl finds it: by kubeconfig files, or else from inside the cluster.
Result<ClusterAccess> FindClusterForUser(const std::string& kubeconfig, const KubeconfigOverrides& overrides,
                                         const ServiceAccountFiles& files, const Surroundings& surroundings);

}  // namespace berth::kube
