// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_validate.h"

#include "cmd/metric_label_flags.h"
#include "features/version.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr int64_t kLargestPort = 65535;

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\n\v\f\r") == std::string_view::npos; }

bool HasIgnoringCase(const std::vector<std::string>& list, std::string_view wanted) {
  const auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  return std::ranges::any_of(
      list, [&](const std::string& item) { return std::ranges::equal(item, wanted, {}, lower, lower); });
}

// kube-scheduler says 1 for ports that are too large, though 0 is allowed.
void ValidatePort(int64_t port, config::Messages& errors) {
  if (port > kLargestPort) {
    errors.push_back(
        fmt::format("--secure-port {} must be between 1 and 65535, inclusive. It cannot be turned off with 0", port));
  } else if (port < 0) {
    errors.push_back(
        fmt::format("--secure-port {} must be between 0 and 65535, inclusive. 0 for turning off secure port", port));
  }
}

void RefuseBlanks(std::string_view flag, const std::vector<std::string>& values, config::Messages& errors) {
  if (std::ranges::any_of(values, IsBlank)) errors.push_back(fmt::format("empty value in \"{}\"", flag));
}

void ValidateHeaders(const AuthenticationFlags& flags, bool has_uids, FlagProblems& problems) {
  struct Header {
    std::string_view flag;
    const std::vector<std::string>& values;
    std::string_view usual;
    std::string_view what;
  };
  const std::array<Header, 3> headers = {
      {{"requestheader-username-headers", flags.requestheader_username_headers, "X-Remote-User", "header"},
       {"requestheader-group-headers", flags.requestheader_group_headers, "X-Remote-Group", "header"},
       {"requestheader-extra-headers-prefix", flags.requestheader_extra_headers_prefix, "X-Remote-Extra-",
        "header prefix"}}};
  for (const Header& header : headers) RefuseBlanks(header.flag, header.values, problems.errors);
  RefuseBlanks("requestheader-allowed-names", flags.requestheader_allowed_names, problems.errors);
  for (const Header& header : headers) {
    if (header.values.empty() || HasIgnoringCase(header.values, header.usual)) continue;
    problems.warnings.push_back(
        fmt::format("--{} is set without specifying the standard {} {} - API aggregation will not work", header.flag,
                    header.usual, header.what));
  }
  if (flags.requestheader_uid_headers.empty()) return;
  if (!has_uids) {
    problems.errors.emplace_back(
        "--requestheader-uid-headers requires the \"RemoteRequestHeaderUID\" feature to be enabled");
    return;
  }
  RefuseBlanks("requestheader-uid-headers", flags.requestheader_uid_headers, problems.errors);
  if (!HasIgnoringCase(flags.requestheader_uid_headers, "X-Remote-Uid")) {
    problems.errors.emplace_back(
        "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will "
        "not work");
  }
}

}  // namespace

FlagProblems ValidateKubeFlags(const KubeFlags& kube, const features::FeatureGates& gates) {
  FlagProblems problems;
  ValidatePort(kube.serving.secure_port, problems.errors);
  ValidateHeaders(kube.authentication, gates.Enabled("RemoteRequestHeaderUID").value_or(false), problems);
  const bool has_labels = kube.given.contains("allow-metric-labels");
  for (std::string& error : MetricsFlagsProblems(kube.metrics, has_labels)) problems.errors.push_back(std::move(error));
  return problems;
}

Result<ServingTls> ServingTlsOf(const ServingFlags& serving) {
  ServingTls tls;
  if (serving.secure_port == 0) return tls;
  if (serving.tls_cert_file.empty() != serving.tls_private_key_file.empty()) {
    return InvalidError("missing filename for serving cert");
  }
  BERTH_ASSIGN_OR_RETURN(tls.cipher_suites, CipherSuitesNamed(serving.tls_cipher_suites));
  BERTH_ASSIGN_OR_RETURN(tls.groups, GroupsNumbered(serving.tls_curve_preferences));
  BERTH_ASSIGN_OR_RETURN(tls.min_version, TlsVersionNamed(serving.tls_min_version));
  return tls;
}

Result<void> CheckRates(const config::ClientConnection& client) {
  if (client.qps <= 0 || client.burst > 0) return {};
  return InvalidError(
      "burst is required to be greater than 0 when RateLimiter is not set and QPS is set to greater than 0");
}

Result<void> CheckElection(const config::LeaderElection& election) {
  constexpr double kJitter = 1.2;
  constexpr std::array<std::string_view, 4> kRemoved = {"endpoints", "configmaps", "endpointsleases",
                                                        "configmapsleases"};
  if (!election.leader_elect) return {};
  const std::string& lock = election.resource_lock;
  if (std::ranges::find(kRemoved, lock) != kRemoved.end()) {
    return InvalidError(fmt::format("couldn't create resource lock: {} lock is removed, migrate to leases", lock));
  }
  if (lock != "leases") return InvalidError("couldn't create resource lock: Invalid lock-type " + lock);
  const auto refused = [](std::string_view why) {
    return InvalidError(fmt::format("couldn't create leader elector: {}", why));
  };
  if (election.lease_duration <= election.renew_deadline) {
    return refused("leaseDuration must be greater than renewDeadline");
  }
  if (static_cast<double>(election.renew_deadline.count()) <=
      kJitter * static_cast<double>(election.retry_period.count())) {
    return refused("renewDeadline must be greater than retryPeriod*JitterFactor");
  }
  if (election.renew_deadline <= Duration{}) return refused("renewDeadline must be greater than zero");
  if (election.retry_period <= Duration{}) return refused("retryPeriod must be greater than zero");
  return {};
}

}  // namespace berth::cmd
