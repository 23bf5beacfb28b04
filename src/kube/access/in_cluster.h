// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/surroundings.h"

#include <string>

namespace berth::kube {

// Where a pod finds its service account.
struct ServiceAccountFiles {
  std::string token = "/var/run/secrets/kubernetes.io/serviceaccount/token";
  std::string ca = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt";
  std::string namespace_name = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
};

// What a pod uses that was given a service account. NotFound when this process does not run in a cluster.
Result<ClusterAccess> LoadInCluster(const ServiceAccountFiles& files, const Surroundings& surroundings);

}  // namespace berth::kube
