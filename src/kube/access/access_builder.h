// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "config/fields/field_errors.h"
#include "kube/access/cluster_access.h"
#include "kube/access/kubeconfig.h"
#include "kube/access/kubeconfig_file.h"
#include "kube/access/surroundings.h"

#include <string>
#include <string_view>

namespace berth::kube {

// Makes a ClusterAccess of merged kubeconfig files, once. What is handed in must outlive it.
class AccessBuilder {
 public:
  AccessBuilder(const FoundKubeconfig& found, const KubeconfigOverrides& overrides, const Surroundings& surroundings);

  Result<ClusterAccess> Build();

 private:
  // The context, the cluster and the user that are meant, in these members. The error is about a name on the command
  // line.
  Result<void> PickEntries();
  Result<void> CheckEntries();
  // What a field has as data or names as a file; notes a file that cannot be read.
  std::string DataOrFile(const std::string& data, const std::string& path, std::string_view field,
                         std::string_view entry);
  Result<void> AddTrust();
  Result<void> AddKeyPair();
  Result<void> AddCredentials();
  Result<void> AddExec();
  void AddImpersonation();
  Result<void> AddProxy();

  std::string Origin() const;      // "kubeconfig /a:/b, context c"
  Error NothingDescribed() const;  // why no cluster was found

  const FoundKubeconfig& found_;
  const KubeconfigOverrides& overrides_;
  const Surroundings& surroundings_;
  std::string context_name_;
  bool context_exists_ = false;
  ContextEntry context_;
  std::string cluster_name_;
  ClusterEntry cluster_;
  std::string user_name_;
  UserEntry user_;
  config::Messages problems_;
  KeyPair key_pair_;
  std::string ca_;
  ClusterAccess access_;
};

}  // namespace berth::kube
