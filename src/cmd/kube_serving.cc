// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_serving.h"

#include "api/document.h"
#include "config/encode.h"
#include "config/fields/field_errors.h"
#include "net/request_target.h"
#include "scheduler/pod_resource_metrics.h"
#include "serve/review_cluster.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

serve::ServingOptions ServingOf(const KubeFlags& flags) {
  const ServingFlags& given = flags.serving;
  serve::ServingOptions serving;
  serving.listen = {given.bind_address, static_cast<uint16_t>(given.secure_port), given.permit_port_sharing};
  serving.certificates.certificate_file = given.tls_cert_file;
  serving.certificates.key_file = given.tls_private_key_file;
  serving.certificates.folder = given.cert_dir;
  serving.certificates.bind_address = given.bind_address;
  for (const NamedCertificate& named : given.sni_certificates) {
    serving.certificates.named.push_back({named.cert_file, named.key_file, named.names});
  }
  serving.min_tls_version = given.tls_min_version;
  serving.cipher_suites = given.tls_cipher_suites;
  serving.curves = given.tls_curve_preferences;
  serving.http2 = !given.disable_http2_serving;
  serving.max_streams = static_cast<uint32_t>(std::max<int64_t>(0, given.http2_max_streams_per_connection));
  return serving;
}

Result<serve::AuthenticationOptions> AuthenticationOf(const AuthenticationFlags& given,
                                                      const kube::Surroundings& surroundings, const log::Logger& log) {
  serve::AuthenticationOptions authentication;
  BERTH_ASSIGN_OR_RETURN(authentication.cluster,
                         serve::FindReviewCluster(given.kubeconfig, "authentication", {}, surroundings, log));
  authentication.token_cache_ttl = given.token_webhook_cache_ttl;
  serve::ClientAuthorityOptions& authorities = authentication.authorities;
  authorities.client_ca_file = given.client_ca_file;
  authorities.requestheader_ca_file = given.requestheader_client_ca_file;
  authorities.requestheader = {given.requestheader_username_headers, given.requestheader_uid_headers,
                               given.requestheader_group_headers, given.requestheader_extra_headers_prefix,
                               given.requestheader_allowed_names};
  authorities.skip_lookup = given.skip_lookup;
  authorities.tolerate_lookup_failure = given.tolerate_lookup_failure;
  return authentication;
}

Result<serve::AuthorizationOptions> AuthorizationOf(const AuthorizationFlags& given,
                                                    const kube::Surroundings& surroundings, const log::Logger& log) {
  serve::AuthorizationOptions authorization;
  BERTH_ASSIGN_OR_RETURN(authorization.cluster,
                         serve::FindReviewCluster(given.kubeconfig, "authorization", {}, surroundings, log));
  authorization.rules.always_allow_paths = given.always_allow_paths;
  authorization.rules.allowed_ttl = given.webhook_cache_authorized_ttl;
  authorization.rules.denied_ttl = given.webhook_cache_unauthorized_ttl;
  return authorization;
}

// In upstream's words.
Result<std::string> SetVerbosity(const std::string& value, const std::function<void(int)>& set) {
  int32_t verbosity = 0;
  const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), verbosity);
  if (problem != std::errc() || end != value.data() + value.size() || verbosity < 0) {
    return InvalidError(
        fmt::format("strconv.ParseUint: parsing {}: {}", config::Quoted(value),
                    problem == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
  }
  set(verbosity);
  return fmt::format("successfully set klog.logging.verbosity to {}", value);
}

serve::PageOptions PagesOf(const KubeStart& start, const ServedParts& parts) {
  const features::FeatureGates& gates = start.configuration.loaded.config.features;
  serve::SchedulerChecks checks;
  if (start.configuration.loaded.config.leader_election.leader_elect && !start.own.shadow) {
    // A process that loses its lease ends by itself: there is nothing that a probe should restart it for.
    checks.leader_election = [] { return std::string(); };
  }
  checks.shutting_down = parts.stopping;
  checks.handlers_synced = [scheduler = parts.scheduler] { return scheduler->synced(); };
  serve::PageOptions pages;
  pages.healthz = serve::HealthzChecks(checks);
  pages.set_verbosity = [set = start.set_verbosity](const std::string& value) { return SetVerbosity(value, set); };
  pages.readyz = serve::ReadyzChecks(checks);
  pages.metrics = [parts](std::string& out) {
    std::string all = parts.scheduler->metrics().Expose();
    for (const serve::MetricsSource& source : parts.metrics) source(all);
    out += parts.filter.Apply(std::move(all));
  };
  pages.resource_metrics = [parts, shadow = start.own.shadow](std::string& out) {
    // One process of a cluster tells of its pods, or sums over all would count them twice.
    if (shadow || !parts.scheduler->leads()) return;
    out += scheduler::PodResourceMetrics(parts.answers->Pods());
  };
  pages.configz = [document = api::ToJson(config::EncodeConfiguration(start.configuration.loaded.config))] {
    return document;
  };
  pages.statusz = gates.Enabled("ComponentStatusz").value_or(false);
  pages.flagz = gates.Enabled("ComponentFlagz").value_or(false);
  pages.cbor = gates.Enabled("CBORServingAndStorage").value_or(false);
  std::map<std::string, std::string> flags(start.flags.values.begin(), start.flags.values.end());
  pages.flags = [flags = std::move(flags)] { return flags; };
  pages.binary_version = start.version.starts_with('v') ? start.version.substr(1) : start.version;
  pages.emulation_version = features::kOwnVersion.Text();
  pages.started = start.clock.Now();
  pages.profiling = start.configuration.loaded.config.enable_profiling;
  return pages;
}

// The value of a query parameter; empty when there is none.
std::string Parameter(std::string_view query, std::string_view name) {
  for (auto& [key, value] : net::QueryParameters(query)) {
    if (key == name) return std::move(value);
  }
  return {};
}

net::ServerResponse AnswerOf(const Result<LiveAnswer>& answer, std::string_view output) {
  constexpr std::string_view kText = "text/plain; charset=utf-8";
  if (!answer) {
    const int status = answer.error().code == ErrorCode::NotFound ? 404 : 500;
    return {status, {{"content-type", std::string(kText)}}, answer.error().message + "\n"};
  }
  const std::string_view type = output == "json" ? "application/json" : output == "yaml" ? "application/yaml" : kText;
  return {200, {{"content-type", std::string(type)}, {kAnswerHeader, answer->yes ? "yes" : "no"}}, answer->text};
}

// Answers on a thread of its own: the engine may take its time.
serve::Route LiveRoute(std::string path, serve::SideThread& side,
                       std::function<Result<LiveAnswer>(std::string_view query, const std::string& output)> answer) {
  serve::Route route;
  route.path = std::move(path);
  route.methods = {"GET"};
  route.handler = [&side, answer = std::move(answer)](const serve::Call& call, const serve::Reply& reply) {
    side.Post([answer, reply, query = call.request.query] {
      const std::string output = Parameter(query, "output");
      reply(AnswerOf(answer(query, output), output));
    });
  };
  return route;
}

void AddLiveRoutes(serve::Server& server, LiveAnswers& live, serve::SideThread& side) {
  const auto add = [&](std::string path, auto answer) {
    server.Handle(LiveRoute("/debug/berth/" + std::move(path), side, std::move(answer)));
  };
  add("queue", [&live](std::string_view, const std::string& output) { return live.Queue(output); });
  add("explain", [&live](std::string_view query, const std::string& output) {
    return live.Explain(Parameter(query, "pod"), Parameter(query, "node"), output);
  });
  add("decisions",
      [&live](std::string_view query, const std::string&) { return live.Decisions(Parameter(query, "pod")); });
  add("shadow", [&live](std::string_view, const std::string& output) { return live.Shadow(output); });
}

}  // namespace

Result<std::unique_ptr<serve::Server>> MakeKubeServer(const KubeStart& start, const ServedParts& parts,
                                                      kube::ApiObserver* observer) {
  if (start.flags.serving.secure_port == 0) return std::unique_ptr<serve::Server>();
  const log::Logger log = start.log.Named("serve");
  serve::ServerOptions options;
  options.serving = ServingOf(start.flags);
  BERTH_ASSIGN_OR_RETURN(options.authentication,
                         AuthenticationOf(start.flags.authentication, options.surroundings, log));
  BERTH_ASSIGN_OR_RETURN(options.authorization, AuthorizationOf(start.flags.authorization, options.surroundings, log));
  options.pages = PagesOf(start, parts);
  options.user_agent = "kube-scheduler/" + start.version;
  auto server = std::make_unique<serve::Server>(std::move(options), start.clock, log, observer);
  AddLiveRoutes(*server, *parts.answers, *parts.side);
  return server;
}

}  // namespace berth::cmd
