// SPDX-License-Identifier: Apache-2.0
#include "kube/access/in_cluster.h"

#include "kube/access/trimmed.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

std::string NamespaceOfPod(const ServiceAccountFiles& files, const Surroundings& surroundings) {
  if (std::string name = surroundings.Variable("POD_NAMESPACE"); !name.empty()) return name;
  if (const Result<std::string> content = surroundings.read_file(files.namespace_name)) {
    if (std::string name = TrimmedCopy(*content); !name.empty()) return name;
  }
  return "default";
}

// To trust the system's authorities instead would be to send the pod's token to whoever has a certificate of theirs.
Result<std::string> AuthorityOfCluster(const ServiceAccountFiles& files, const Surroundings& surroundings) {
  Result<std::string> ca = surroundings.read_file(files.ca);
  if (ca && ca->find("-----BEGIN CERTIFICATE-----") != std::string::npos) return ca;
  return InvalidError(fmt::format("unable to load in-cluster configuration, root certificates {} {}", files.ca,
                                  ca ? "have no certificate in PEM" : "cannot be read: " + ca.error().message));
}

}  // namespace

Result<ClusterAccess> LoadInCluster(const ServiceAccountFiles& files, const Surroundings& surroundings) {
  const std::string host = surroundings.Variable("KUBERNETES_SERVICE_HOST");
  const std::string port = surroundings.Variable("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return NotFoundError(
        "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined");
  }
  const Result<std::string> token = surroundings.read_file(files.token);
  if (!token) {
    return NotFoundError(
        fmt::format("unable to load in-cluster configuration, token file {} cannot be read: {}; does the pod have a "
                    "service account?",
                    files.token, token.error().message));
  }
  ClusterAccess access;
  access.origin = "in-cluster configuration";
  const bool is_address_with_colons = host.find(':') != std::string::npos && !host.starts_with('[');
  const std::string url = fmt::format("https://{}:{}", is_address_with_colons ? "[" + host + "]" : host, port);
  BERTH_ASSIGN_OR_RETURN(access.server, ParseServerAddress(url));
  BERTH_ASSIGN_OR_RETURN(access.trust.ca, AuthorityOfCluster(files, surroundings));
  access.credentials.ca_file = files.ca;
  access.namespace_name = NamespaceOfPod(files, surroundings);
  access.credentials.token = TrimmedCopy(*token);
  access.credentials.token_file = files.token;
  BERTH_ASSIGN_OR_RETURN(access.proxy, ProxyFromEnvironment(access.server, surroundings));
  return access;
}

}  // namespace berth::kube
