// SPDX-License-Identifier: Apache-2.0
#include "cmd/ask_scheduler.h"

#include "cmd/live_answers.h"
#include "cmd/pod_target.h"
#include "kube/access/find_cluster.h"
#include "kube/client/waiting_client.h"
#include "kube/home/resource.h"

#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr uint16_t kSchedulerPort = 10259;

Result<kube::ClusterAccess> AccessTo(const SchedulerAddress& address, const kube::Surroundings& surroundings) {
  kube::ClusterAccess access;
  const bool has_scheme = address.url.find("://") != std::string::npos;
  BERTH_ASSIGN_OR_RETURN(access.server, kube::ParseServerAddress(has_scheme ? address.url : "https://" + address.url));
  const std::string host = has_scheme ? address.url.substr(address.url.find("://") + 3) : address.url;
  // After the bracket of an IPv6 address, if there is one.
  const bool has_port = host.find(':', host.rfind(']') == std::string::npos ? 0 : host.rfind(']')) != std::string::npos;
  if (!has_port) access.server.port = kSchedulerPort;
  if (!access.server.tls) return InvalidError("schedulers serve https only, not " + address.url);
  access.trust.skip_verification = address.insecure;
  if (!address.certificate_authority.empty()) {
    BERTH_ASSIGN_OR_RETURN(access.trust.ca, kube::ReadWholeFile(address.certificate_authority));
    if (access.trust.ca.empty()) return InvalidError(address.certificate_authority + " is empty");
  }
  if (!address.token_file.empty()) {
    access.credentials.token_file = address.token_file;
    return access;
  }
  // Whoever listens there would be given a user's credentials that nobody named.
  if (address.insecure && !address.credentials.is_asked()) {
    return InvalidError(
        "with --insecure-skip-tls-verify, name the credentials to send: --token-file, --kubeconfig or --context");
  }
  kube::KubeconfigOverrides overrides;
  overrides.context = address.credentials.context;
  Result<kube::ClusterAccess> user =
      kube::FindClusterForUser(address.credentials.kubeconfig, overrides, {}, surroundings);
  if (user) {
    access.credentials = user->credentials;
    access.credentials.ca_file.clear();  // it vouches for the API server
  } else if (address.credentials.is_asked()) {
    return user.error();
  }
  return access;
}

// Prints the answer; the exit code says what it is, or that there was none.
int Ask(const SchedulerAddress& address, const std::string& path, const Streams& streams) {
  const kube::Surroundings surroundings = kube::OfThisProcess();
  const auto fail = [&](const std::string& why) {
    *streams.err << "berth: " << why << '\n';
    return kExitFailed;
  };
  Result<kube::ClusterAccess> access = AccessTo(address, surroundings);
  if (!access) return fail(access.error().message);
  kube::WaitingClient client(*access, surroundings);
  const kube::ApiResponse response = client.Send({.path = path, .accept = "*/*"});
  if (response.ok()) {
    *streams.out << response.body;
    return response.head.Header(kAnswerHeader) == "no" ? kExitNo : kExitOk;
  }
  const kube::ApiError error = kube::ErrorOf(response);
  if (error.status == 404) {
    // Any other server has a page of its own for that.
    const bool is_berth = response.body.starts_with("the scheduler") || response.body.starts_with("this scheduler");
    return fail(is_berth
                    ? response.body.substr(0, response.body.find('\n'))
                    : fmt::format("{} is not a Berth scheduler: it does not know {}", access->server.Text(), path));
  }
  const bool denied = error.status == 401 || error.status == 403;
  return fail(fmt::format("{}: {}{}", access->server.Text(), error.message,
                          denied ? "; show who you are with --token-file or --context" : ""));
}

}  // namespace

int RunQueue(const QueueOptions& options, const Streams& streams) {
  return Ask(options.scheduler, "/debug/berth/queue?output=" + options.output, streams);
}

int RunLiveExplain(const LiveExplainOptions& options, const Streams& streams) {
  const Result<std::string> key = PodKeyFrom(options.target);
  if (!key) {
    *streams.err << "berth: " << key.error().message << '\n';
    return kExitUsage;
  }
  std::string path = fmt::format("/debug/berth/explain?pod={}&output={}", kube::Escaped(*key), options.output);
  if (!options.node.empty()) path += "&node=" + kube::Escaped(options.node);
  return Ask(options.scheduler, path, streams);
}

}  // namespace berth::cmd
