// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/cluster_access.h"
#include "kube/access/kubeconfig_file.h"
#include "kube/access/surroundings.h"

#include <string>
#include <vector>

namespace berth::kube {

// What the command line says instead of the files; empty: as the files say.
struct KubeconfigOverrides {
  std::string context = {};
  std::string cluster = {};  // an entry of the files
  std::string user = {};     // an entry of the files
  std::string server = {};   // also replaces the tls-server-name, by nothing
  std::string namespace_name = {};
};

struct FoundKubeconfig {
  Kubeconfig merged = {};
  std::vector<std::string> missing = {};  // files that were named and do not exist
};

// Reads `explicit_path`, which must exist; when it is empty the files that KUBECONFIG lists, of which some may be
// missing, or else ~/.kube/config. Entries of an earlier file win over those of a later one.
Result<FoundKubeconfig> ReadKubeconfigFiles(const std::string& explicit_path, const Surroundings& surroundings);

// Follows the context to its cluster and user, checks them as client-go does, and reads the files they name.
// NotFound: no cluster is described at all, so that another way may be tried; any other error is final.
Result<ClusterAccess> ResolveAccess(const FoundKubeconfig& found, const KubeconfigOverrides& overrides,
                                    const Surroundings& surroundings);

// Both in turn.
Result<ClusterAccess> LoadKubeconfig(const std::string& explicit_path, const KubeconfigOverrides& overrides,
                                     const Surroundings& surroundings);

}  // namespace berth::kube
