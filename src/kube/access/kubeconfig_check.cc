// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig_check.h"

#include "kube/access/proxy.h"

#include <fmt/format.h>

namespace berth::kube {
namespace {

void CheckKeyPair(const std::string& name, const UserEntry& user, config::Messages& problems) {
  if (user.client_certificate.empty() && user.client_certificate_data.empty()) return;
  if (!user.client_certificate.empty() && !user.client_certificate_data.empty()) {
    problems.push_back(
        fmt::format("client-cert-data and client-cert are both specified for {}. client-cert-data will override. "
                    "Remove one of them",
                    name));
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    problems.push_back(fmt::format(
        "client-key-data and client-key are both specified for {}; client-key-data will override: remove one of them",
        name));
  }
  if (user.client_key.empty() && user.client_key_data.empty()) {
    problems.push_back(fmt::format(
        "client-key-data or client-key must be specified for {} to use the clientCert authentication method.", name));
  }
}

void CheckExec(const std::string& name, const UserEntry& user, config::Messages& problems) {
  if (!user.exec) return;
  const auto missing = [&](std::string_view field) {
    problems.push_back(fmt::format("{} must be specified for {} to use exec authentication plugin", field, name));
  };
  if (user.auth_provider) {
    problems.push_back(fmt::format("authProvider cannot be provided in combination with an exec plugin for {}", name));
  }
  if (user.exec->command.empty()) missing("command");
  if (user.exec->api_version.empty()) missing("apiVersion");
  for (const auto& [variable, value] : user.exec->env) {
    if (variable.empty()) missing("env variable name");
  }
  const std::string& mode = user.exec->interactive_mode;
  if (mode.empty()) {
    missing("interactiveMode");
  } else if (mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    problems.push_back(fmt::format("invalid interactiveMode for {}: {}: must be Never, IfAvailable or Always", name,
                                   config::Quoted(mode)));
  }
}

}  // namespace

config::Messages ProblemsOfUser(const std::string& name, const UserEntry& user) {
  config::Messages problems;
  CheckKeyPair(name, user, problems);
  CheckExec(name, user, problems);
  if (!user.token.empty() && !(user.username.empty() && user.password.empty())) {
    problems.push_back(fmt::format(
        "more than one authentication method found for {}; found [token basicAuth], only one is allowed", name));
  }
  const bool impersonates_parts = !user.as_uid.empty() || !user.as_groups.empty() || !user.as_user_extra.empty();
  if (impersonates_parts && user.as.empty()) {
    problems.push_back(
        fmt::format("requesting uid, groups or user-extra for {} without impersonating a user: set `as` too", name));
  }
  return problems;
}

config::Messages ProblemsOfCluster(const std::string& name, const ClusterEntry& cluster) {
  config::Messages problems;
  if (cluster.server.empty()) {
    problems.push_back(name.empty() ? "default cluster has no server defined"
                                    : fmt::format("no server found for cluster {}", config::Quoted(name)));
  }
  if (!cluster.proxy_url.empty()) {
    if (const Result<Proxy> proxy = ParseProxy(cluster.proxy_url); !proxy) {
      problems.push_back(fmt::format("invalid 'proxy-url' {} for cluster {}: {}",
                                     config::Quoted(WithoutPassword(cluster.proxy_url)), config::Quoted(name),
                                     proxy.error().message));
    }
  }
  if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
    problems.push_back(
        fmt::format("certificate-authority-data and certificate-authority are both specified for {}. "
                    "certificate-authority-data will override. Remove one of them",
                    name));
  }
  return problems;
}

}  // namespace berth::kube
