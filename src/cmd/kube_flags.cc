// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_flags.h"

#include "cmd/kube_flag_values.h"
#include "cmd/tls_names.h"
#include "features/known_gates.h"
#include "flags/flag_set.h"
#include "flags/usage_text.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

using flags::FlagSet;

constexpr std::string_view kIgnoredWithConfig = " Ignored when --config names a file.";
constexpr std::string_view kAlphaLogging = " Needs the feature gate LoggingAlphaOptions.";

void AddMisc(KubeFlags& kube, FlagSet& set) {
  constexpr std::string_view kSection = "misc";
  set.Add(kSection, "config", flags::StringValue(kube.config), "The path to the configuration file.");
  set.Add(kSection, "master", flags::StringValue(kube.master),
          "The address of the Kubernetes API server; overrides what the kubeconfig says.");
  set.Add(kSection, "write-config-to", flags::StringValue(kube.write_config_to),
          "If set, write the configuration to this file and exit.");
}

void AddServing(ServingFlags& serving, FlagSet& set) {
  constexpr std::string_view kSection = "secure serving";
  set.Add(kSection, "bind-address", flags::AddressValue(serving.bind_address),
          "The IP address to listen on for --secure-port. An unspecified one (0.0.0.0 or ::) means all interfaces and "
          "both address families.");
  set.Add(kSection, "secure-port", flags::IntValue(serving.secure_port),
          "The port to serve HTTPS on, with authentication and authorization. 0: nothing is served.");
  set.Add(kSection, "disable-http2-serving", flags::BoolValue(serving.disable_http2_serving), "Do not serve HTTP/2.");
  set.Add(kSection, "cert-dir", flags::StringValue(serving.cert_dir),
          "The directory of the serving certificate and its key. Ignored when --tls-cert-file and "
          "--tls-private-key-file are given.");
  set.Add(kSection, "tls-cert-file", flags::StringValue(serving.tls_cert_file),
          "File with the certificate to serve HTTPS with, followed by those of its issuers. Without it and "
          "--tls-private-key-file a self-signed certificate is made, and kept in --cert-dir if that is given.");
  set.Add(kSection, "tls-private-key-file", flags::StringValue(serving.tls_private_key_file),
          "File with the private key of --tls-cert-file.");
  set.Add(kSection, "tls-cipher-suites", flags::StringsValue(serving.tls_cipher_suites),
          fmt::format("Comma-separated list of cipher suites to serve with.\nPreferred values: {}.\nInsecure values: "
                      "{}.",
                      fmt::join(PreferredCipherSuites(), ", "), fmt::join(InsecureCipherSuites(), ", ")));
  set.Add(kSection, "tls-curve-preferences", flags::Int32sValue(serving.tls_curve_preferences),
          "Comma-separated list of the key exchanges to serve with, by their numbers in the TLS registry; their order "
          "does not matter.");
  set.Add(kSection, "tls-min-version", flags::StringValue(serving.tls_min_version),
          fmt::format("The oldest version of TLS to serve. Possible values: {}", fmt::join(TlsVersions(), ", ")));
  set.Add(kSection, "tls-sni-cert-key", NamedCertificatesValue(serving.sni_certificates),
          "Files of a certificate and its key, optionally with the domain patterns they are for; otherwise these are "
          "taken from the certificate. The first segment of a pattern may be a wildcard; an exact match precedes one "
          "by wildcard, a given pattern one from a certificate. May be repeated. Examples: \"example.crt,example.key\" "
          "or \"foo.crt,foo.key:*.foo.com,foo.com\".");
  set.Add(kSection, "http2-max-streams-per-connection", flags::IntValue(serving.http2_max_streams_per_connection),
          "How many requests a client may have open in one HTTP/2 connection. 0: the server's default.");
  set.Add(kSection, "permit-port-sharing", flags::BoolValue(serving.permit_port_sharing),
          "Listen with SO_REUSEPORT: several processes may listen on the same address and port.");
  set.Add(kSection, "permit-address-sharing", flags::BoolValue(serving.permit_address_sharing),
          "Listen with SO_REUSEADDR: addresses like 0.0.0.0 and specific ones may be listened on at once, and sockets "
          "in TIME_WAIT are not waited for.");
}

void AddAuthentication(AuthenticationFlags& authentication, FlagSet& set) {
  constexpr std::string_view kSection = "authentication";
  set.Add(kSection, "authentication-kubeconfig", flags::StringValue(authentication.kubeconfig),
          "kubeconfig file of the API server where tokenreviews.authentication.k8s.io are created. Optional; without "
          "it, all requests with tokens are anonymous and no client CA is looked up in the cluster.");
  set.Add(kSection, "authentication-skip-lookup", flags::BoolValue(authentication.skip_lookup),
          "Do not look up missing authentication configuration in the cluster.");
  set.Add(kSection, "authentication-token-webhook-cache-ttl",
          flags::DurationValue(authentication.token_webhook_cache_ttl), "How long answers about tokens are kept.");
  set.Add(kSection, "authentication-tolerate-lookup-failure", flags::BoolValue(authentication.tolerate_lookup_failure),
          "Go on when missing authentication configuration cannot be looked up in the cluster. All requests may then "
          "be anonymous.");
  set.Add(kSection, "client-ca-file", flags::StringValue(authentication.client_ca_file),
          "Certificates of authorities. A request with a client certificate that one of them signed comes from the "
          "user that the certificate's CommonName names.");
  set.Add(kSection, "requestheader-client-ca-file", flags::StringValue(authentication.requestheader_client_ca_file),
          "Certificates of authorities that must have signed a client's certificate before user names in headers are "
          "trusted. WARNING: do not depend on authorization having been done for such requests.");
  set.Add(kSection, "requestheader-allowed-names", flags::StringsValue(authentication.requestheader_allowed_names),
          "CommonNames of client certificates that may name users in headers. Empty: every one that an authority in "
          "--requestheader-client-ca-file signed.");
  set.Add(kSection, "requestheader-username-headers",
          flags::StringsValue(authentication.requestheader_username_headers),
          "Request headers to look for user names in. X-Remote-User is common.");
  set.Add(kSection, "requestheader-uid-headers", flags::StringsValue(authentication.requestheader_uid_headers),
          "Request headers to look for UIDs in. X-Remote-Uid is suggested. Needs the feature gate "
          "RemoteRequestHeaderUID.");
  set.Add(kSection, "requestheader-group-headers", flags::StringsValue(authentication.requestheader_group_headers),
          "Request headers to look for groups in. X-Remote-Group is suggested.");
  set.Add(kSection, "requestheader-extra-headers-prefix",
          flags::StringsValue(authentication.requestheader_extra_headers_prefix),
          "Prefixes of request headers with more about a user. X-Remote-Extra- is suggested.");
}

void AddAuthorization(AuthorizationFlags& authorization, FlagSet& set) {
  constexpr std::string_view kSection = "authorization";
  set.Add(kSection, "authorization-kubeconfig", flags::StringValue(authorization.kubeconfig),
          "kubeconfig file of the API server where subjectaccessreviews.authorization.k8s.io are created. Optional; "
          "without it, all requests that need authorization are forbidden.");
  set.Add(kSection, "authorization-always-allow-paths", flags::StringsValue(authorization.always_allow_paths),
          "HTTP paths that need no authorization.");
  set.Add(kSection, "authorization-webhook-cache-authorized-ttl",
          flags::DurationValue(authorization.webhook_cache_authorized_ttl), "How long positive answers are kept.");
  set.Add(kSection, "authorization-webhook-cache-unauthorized-ttl",
          flags::DurationValue(authorization.webhook_cache_unauthorized_ttl), "How long negative answers are kept.");
}

void AddDeprecated(DeprecatedFlags& deprecated, FlagSet& set) {
  constexpr std::string_view kSection = "deprecated";
  const auto add = [&](std::string name, flags::FlagValue value, std::string_view usage) {
    set.Add(kSection, std::move(name), std::move(value), fmt::format("DEPRECATED: {}{}", usage, kIgnoredWithConfig));
  };
  add("profiling", flags::BoolValue(deprecated.profiling), "serve profiles below /debug/pprof/.");
  add("contention-profiling", flags::BoolValue(deprecated.contention_profiling),
      "profile what blocks, if profiling is on.");
  add("kubeconfig", flags::StringValue(deprecated.kubeconfig),
      "path to the kubeconfig file, which says where the API server is and who we are there.");
  add("kube-api-content-type", flags::StringValue(deprecated.kube_api_content_type),
      "content type of requests to the API server.");
  add("kube-api-qps", flags::Float32Value(deprecated.kube_api_qps), "requests per second to the API server.");
  add("kube-api-burst", flags::Int32Value(deprecated.kube_api_burst), "requests to the API server at once.");
  set.Add(kSection, "pod-max-in-unschedulable-pods-duration",
          flags::DurationValue(deprecated.pod_max_in_unschedulable_pods_duration),
          "DEPRECATED: how long a pod may stay in unschedulablePods before it is moved to backoffQ or activeQ. Will be "
          "removed in a future version.");
}

void AddLeaderElection(config::LeaderElection& election, FlagSet& set) {
  constexpr std::string_view kSection = "leader election";
  set.Add(kSection, "leader-elect", flags::BoolValue(election.leader_elect),
          "Become leader before scheduling. Needed where several replicas run for high availability.");
  set.Add(kSection, "leader-elect-lease-duration", flags::DurationValue(election.lease_duration),
          "How long candidates wait after a leader was last seen to renew before they take over: a leader that stopped "
          "is replaced after so long.");
  set.Add(kSection, "leader-elect-renew-deadline", flags::DurationValue(election.renew_deadline),
          "How long a leader tries to renew before it stops leading. Must be less than the lease duration.");
  set.Add(kSection, "leader-elect-retry-period", flags::DurationValue(election.retry_period),
          "How long to wait between attempts to acquire or renew leadership.");
  set.Add(kSection, "leader-elect-resource-lock", flags::StringValue(election.resource_lock),
          "The kind of object that is the lock. Supported: 'leases'.");
  set.Add(kSection, "leader-elect-resource-name", flags::StringValue(election.resource_name),
          "The name of the object that is the lock.");
  set.Add(kSection, "leader-elect-resource-namespace", flags::StringValue(election.resource_namespace),
          "The namespace of the object that is the lock.");
}

// The gates one would set: those of alpha and beta features, and of whole stages.
std::vector<std::string> SettableGates() {
  std::vector<std::string> lines;
  for (const features::GateState& gate : features::FeatureGates().All()) {
    if (gate.stage != features::Stage::Alpha && gate.stage != features::Stage::Beta) continue;
    lines.push_back(fmt::format("kube:{}=true|false ({} - default={})", gate.name,
                                gate.stage == features::Stage::Alpha ? "ALPHA" : "BETA", gate.on_by_default));
  }
  return lines;
}

void AddGates(features::GateFlags& gates, FlagSet& set) {
  constexpr std::string_view kSection = "feature gate";
  set.Add(kSection, "emulated-version", flags::StringsValue(gates.emulated_version),
          fmt::format("The release whose feature gates and their defaults apply, as major.minor: "
                      "'--emulated-version=kube=1.34', or without \"kube=\".\nOptions are: kube={}..{}(default:{})",
                      features::kOldestEmulated.Text(), features::kOwnVersion.Text(), features::kOwnVersion.Text()));
  set.Add(kSection, "min-compatibility-version", flags::StringsValue(gates.min_compatibility_version),
          fmt::format("The oldest release that other components of the control plane may have, as major.minor; at most "
                      "the emulated version.\nOptions are: kube={}..{}(default:{})",
                      features::kOldestEmulated.Text(), features::kOwnVersion.Text(),
                      features::kOwnVersion.PreviousMinor().Text()));
  set.Add(kSection, "feature-gates", GatesValue(gates.feature_gates),
          fmt::format("Comma-separated list of gates to turn on or off, as name=value or kube:name=value. May be "
                      "repeated. Options are:\n{}",
                      fmt::join(SettableGates(), "\n")));
}

void AddMetrics(MetricsFlags& metrics, FlagSet& set) {
  constexpr std::string_view kSection = "metrics";
  set.Add(kSection, "show-hidden-metrics-for-version", flags::StringValue(metrics.show_hidden_metrics_for_version),
          fmt::format("Show the metrics that were deprecated in this release and are hidden since. Only the previous "
                      "minor release is allowed: '{}'.",
                      features::kOwnVersion.PreviousMinor().Text()));
  set.Add(
      kSection, "disabled-metrics", flags::StringsValue(metrics.disabled_metrics),
      "Metrics that are not exposed, by their full names. Takes precedence over --show-hidden-metrics-for-version.");
  set.Add(kSection, "allow-metric-labels", flags::StringMapValue(metrics.allow_metric_labels),
          "The values a label of a metric may have; others are counted as \"unexpected\". "
          "<MetricName>,<LabelName>='<value>,<value>...', for example metric1,label1='v1,v2'. May be repeated.");
  set.Add(kSection, "allow-metric-labels-manifest", flags::StringValue(metrics.allow_metric_labels_manifest),
          "File with the same as a map: \"metric1,label1\": \"value11,value12\". Excludes --allow-metric-labels.");
}

void AddLogs(LoggingFlags& logging, FlagSet& set) {
  constexpr std::string_view kSection = "logs";
  set.Add(kSection, "logging-format", flags::StringValue(logging.format),
          "How log lines look. Permitted formats: \"json\", \"text\".");
  set.Add(kSection, "log-flush-frequency", flags::DurationValue(logging.flush_frequency),
          "The longest time between log flushes.");
  set.Add(kSection, "v", VerbosityValue(logging.verbosity), "How much is logged.").shorthand = 'v';
  set.Add(kSection, "vmodule", ModuleLevelsValue(logging.modules),
          "How much modules log, as a comma-separated list of pattern=N (only for text).");
  const auto alpha = [&](std::string_view name, flags::FlagValue value, std::string_view usage) {
    set.Add(kSection, std::string(name), std::move(value), fmt::format("[Alpha] {}{}", usage, kAlphaLogging));
  };
  alpha("log-text-split-stream", flags::BoolValue(logging.text_split_stream),
        "With text, errors go to standard error, everything else to standard output.");
  alpha("log-text-info-buffer-size", BytesValue(logging.text_info_buffer_size),
        "With text in two streams, how much of standard output is buffered, in bytes (512, 1k, 2Ki). 0: nothing.");
  alpha("log-json-split-stream", flags::BoolValue(logging.json_split_stream),
        "With JSON, errors go to standard error, everything else to standard output.");
  alpha("log-json-info-buffer-size", BytesValue(logging.json_info_buffer_size),
        "With JSON in two streams, how much of standard output is buffered, in bytes (512, 1k, 2Ki). 0: nothing.");
}

void AddGlobal(KubeFlags& kube, FlagSet& set) {
  constexpr std::string_view kSection = "global";
  set.Add(kSection, "help", flags::BoolValue(kube.help), "help for kube-scheduler").shorthand = 'h';
  set.Add(
         kSection, "version", VersionValue(kube),
         "--version, --version=raw prints version information and quits; --version=vX.Y.Z... sets the reported version")
      .without_text = "true";
}

// The flags; the set borrows `kube`.
FlagSet FlagsOf(KubeFlags& kube) {
  FlagSet set;
  AddMisc(kube, set);
  AddServing(kube.serving, set);
  AddAuthentication(kube.authentication, set);
  AddAuthorization(kube.authorization, set);
  AddDeprecated(kube.deprecated, set);
  AddLeaderElection(kube.leader_election, set);
  AddGates(kube.gates, set);
  AddMetrics(kube.metrics, set);
  AddLogs(kube.logging, set);
  AddGlobal(kube, set);
  return set;
}

}  // namespace

Result<KubeFlags> ParseKubeFlags(const std::vector<std::string>& arguments) {
  KubeFlags kube;
  FlagSet set = FlagsOf(kube);
  BERTH_ASSIGN_OR_RETURN(kube.arguments, set.Parse(arguments));
  for (const flags::Flag* flag : set.Flags()) {
    if (flag->given) kube.given.insert(flag->name);
    kube.values.emplace_back(flag->name, flag->value.text());
  }
  return kube;
}

std::string KubeFlagsUsage(size_t columns) {
  KubeFlags kube;
  return flags::UsageText(FlagsOf(kube), columns);
}

std::vector<std::string> KubeFlagNames() {
  KubeFlags kube;
  const FlagSet set = FlagsOf(kube);
  std::vector<std::string> names;
  for (const flags::Flag* flag : set.Flags()) names.push_back(flag->name);
  return names;
}

}  // namespace berth::cmd
