// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/fields/field_errors.h"
#include "kube/access/kubeconfig_file.h"

#include <string>

namespace berth::kube {

// What a client may not go on with, in client-go's words. Entries that nobody refers to are not looked at. Whether
// files can be read is found out later, when they are.
config::Messages ProblemsOfUser(const std::string& name, const UserEntry& user);
config::Messages ProblemsOfCluster(const std::string& name, const ClusterEntry& cluster);

}  // namespace berth::kube
