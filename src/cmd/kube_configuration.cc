// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_configuration.h"

#include "api/document.h"
#include "cmd/kube_validate.h"
#include "config/defaults.h"
#include "config/encode.h"
#include "config/plan.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr std::array<std::string_view, 6> kOnlyWithoutFile = {
    "contention-profiling", "kube-api-burst", "kube-api-content-type", "kube-api-qps", "kubeconfig", "profiling"};

void ApplyElection(const KubeFlags& kube, config::LeaderElection& election) {
  const config::LeaderElection& wanted = kube.leader_election;
  const auto apply = [&](std::string_view flag, auto& field, const auto& value) {
    if (kube.given.contains(flag)) field = value;
  };
  apply("leader-elect", election.leader_elect, wanted.leader_elect);
  apply("leader-elect-lease-duration", election.lease_duration, wanted.lease_duration);
  apply("leader-elect-renew-deadline", election.renew_deadline, wanted.renew_deadline);
  apply("leader-elect-retry-period", election.retry_period, wanted.retry_period);
  apply("leader-elect-resource-lock", election.resource_lock, wanted.resource_lock);
  apply("leader-elect-resource-name", election.resource_name, wanted.resource_name);
  apply("leader-elect-resource-namespace", election.resource_namespace, wanted.resource_namespace);
}

void ApplyDeprecated(const KubeFlags& kube, config::SchedulerConfiguration& config) {
  const DeprecatedFlags& wanted = kube.deprecated;
  const auto apply = [&](std::string_view flag, auto& field, const auto& value) {
    if (kube.given.contains(flag)) field = value;
  };
  apply("profiling", config.enable_profiling, wanted.profiling);
  apply("contention-profiling", config.enable_contention_profiling, wanted.contention_profiling);
  apply("kubeconfig", config.client_connection.kubeconfig, wanted.kubeconfig);
  apply("kube-api-content-type", config.client_connection.content_type, wanted.kube_api_content_type);
  apply("kube-api-qps", config.client_connection.qps, wanted.kube_api_qps);
  apply("kube-api-burst", config.client_connection.burst, wanted.kube_api_burst);
}

// As upstream, the configuration is not validated here: the defaults are valid, and the flags are checked by what uses
// them.
Result<config::PlannedConfiguration> WithoutFile(const KubeFlags& kube, const framework::Registry& registry,
                                                 const features::FeatureGates& gates) {
  config::PlannedConfiguration planned;
  planned.loaded.config = config::DefaultConfiguration(registry, gates);
  planned.loaded.registry = framework::Borrowed(registry);
  ApplyDeprecated(kube, planned.loaded.config);
  ApplyElection(kube, planned.loaded.config.leader_election);
  BERTH_ASSIGN_OR_RETURN(planned.plans, config::PlanProfiles(planned.loaded.config, registry));
  return planned;
}

Result<config::PlannedConfiguration> FromFile(const KubeFlags& kube, const framework::Registry& registry,
                                              const features::FeatureGates& gates) {
  auto outcome = config::LoadAndPlanFile(kube.config, registry, gates, [&](config::SchedulerConfiguration& config) {
    ApplyElection(kube, config.leader_election);
  });
  if (const auto* problem = std::get_if<config::ConfigProblem>(&outcome)) {
    return InvalidError(config::Joined(problem->messages));
  }
  return std::get<config::PlannedConfiguration>(std::move(outcome));
}

}  // namespace

Result<config::PlannedConfiguration> ConfigurationOf(const KubeFlags& kube, const framework::Registry& registry,
                                                     const features::FeatureGates& gates) {
  BERTH_ASSIGN_OR_RETURN(config::PlannedConfiguration planned,
                         kube.config.empty() ? WithoutFile(kube, registry, gates) : FromFile(kube, registry, gates));
  BERTH_RETURN_IF_ERROR(CheckRates(planned.loaded.config.client_connection));
  BERTH_RETURN_IF_ERROR(CheckElection(planned.loaded.config.leader_election));
  return planned;
}

std::vector<std::string> FlagsIgnoredForFile(const KubeFlags& kube) {
  std::vector<std::string> ignored;
  if (kube.config.empty()) return ignored;
  for (const std::string_view flag : kOnlyWithoutFile) {
    if (kube.given.contains(flag)) ignored.emplace_back(flag);
  }
  return ignored;
}

Result<void> WriteConfiguration(const config::SchedulerConfiguration& config, const std::string& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << api::ToYaml(config::EncodeConfiguration(config));
  file.close();
  if (!file) return InvalidError(fmt::format("open {}: {}", path, std::strerror(errno)));
  return {};
}

}  // namespace berth::cmd
