// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "config/types.h"
#include "features/feature_gates.h"
#include "log/module_levels.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// kube-scheduler's flags. Member initialisers are their defaults.
namespace berth::cmd {

// A certificate with its key, and the host names it is for; none: those it names itself.
struct NamedCertificate {
  std::string cert_file;
  std::string key_file;
  std::vector<std::string> names;
};

struct ServingFlags {
  std::string bind_address = "0.0.0.0";
  int64_t secure_port = 10259;  // 0: nothing is served
  std::string cert_dir;
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::vector<NamedCertificate> sni_certificates;
  std::vector<std::string> tls_cipher_suites;  // Go's names of them
  std::vector<int32_t> tls_curve_preferences;  // IANA's numbers of groups
  std::string tls_min_version;                 // "VersionTLS12"; empty: that one
  int64_t http2_max_streams_per_connection = 0;
  bool disable_http2_serving = false;
  bool permit_port_sharing = false;
  bool permit_address_sharing = false;
};

struct AuthenticationFlags {
  std::string kubeconfig;
  bool skip_lookup = false;
  bool tolerate_lookup_failure = true;
  Duration token_webhook_cache_ttl = std::chrono::seconds(10);
  std::string client_ca_file;
  std::string requestheader_client_ca_file;
  std::vector<std::string> requestheader_allowed_names;
  std::vector<std::string> requestheader_username_headers = {"x-remote-user"};
  std::vector<std::string> requestheader_uid_headers;
  std::vector<std::string> requestheader_group_headers = {"x-remote-group"};
  std::vector<std::string> requestheader_extra_headers_prefix = {"x-remote-extra-"};
};

struct AuthorizationFlags {
  std::string kubeconfig;
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
  Duration webhook_cache_authorized_ttl = std::chrono::seconds(10);
  Duration webhook_cache_unauthorized_ttl = std::chrono::seconds(10);
};

// All but the last are ignored when there is a configuration file.
struct DeprecatedFlags {
  bool profiling = true;
  bool contention_profiling = true;
  std::string kubeconfig;
  std::string kube_api_content_type = "application/vnd.kubernetes.protobuf";
  float kube_api_qps = 50;
  int32_t kube_api_burst = 100;
  Duration pod_max_in_unschedulable_pods_duration = std::chrono::minutes(5);
};

struct MetricsFlags {
  std::string show_hidden_metrics_for_version;
  std::vector<std::string> disabled_metrics;
  std::map<std::string, std::string> allow_metric_labels;  // "metric,label" to "value,value"
  std::string allow_metric_labels_manifest;
};

struct LoggingFlags {
  std::string format = "text";
  Duration flush_frequency = std::chrono::seconds(5);
  int verbosity = 0;
  std::vector<log::ModuleLevel> modules;
  bool text_split_stream = false;
  int64_t text_info_buffer_size = 0;
  bool json_split_stream = false;
  int64_t json_info_buffer_size = 0;
};

enum class VersionRequest : uint8_t { None, Short, Raw };

struct KubeFlags {
  std::string config;
  std::string write_config_to;
  std::string master;
  ServingFlags serving;
  AuthenticationFlags authentication;
  AuthorizationFlags authorization;
  DeprecatedFlags deprecated;
  config::LeaderElection leader_election = {true,
                                            std::chrono::seconds(15),
                                            std::chrono::seconds(10),
                                            std::chrono::seconds(2),
                                            "leases",
                                            "kube-scheduler",
                                            "kube-system"};
  features::GateFlags gates;
  MetricsFlags metrics;
  LoggingFlags logging;
  bool help = false;
  VersionRequest version = VersionRequest::None;
  std::string reported_version;  // by --version=vX.Y.Z; empty: KubeVersion()

  std::set<std::string, std::less<>> given;                 // names of the flags on the command line
  std::vector<std::pair<std::string, std::string>> values;  // every flag with its value as text, sorted by name
  std::vector<std::string> arguments;                       // that are no flags
};

// The flags in a command line, which does not include the program's name; fails with the message of Go's pflag.
Result<KubeFlags> ParseKubeFlags(const std::vector<std::string>& arguments);

// What --help says about the flags, for a terminal with so many columns; 0: for none.
std::string KubeFlagsUsage(size_t columns);

// The names of all flags, sorted.
std::vector<std::string> KubeFlagNames();

}  // namespace berth::cmd
