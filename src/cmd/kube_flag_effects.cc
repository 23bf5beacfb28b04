// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_flag_effects.h"

#include <array>

namespace berth::cmd {
namespace {

using enum FlagEffect;

constexpr std::string_view kOneStream = "all log lines go to standard error, unbuffered";
constexpr std::string_view kNoProfiles = "there are no Go profiles; `perf` and `gdb` attach to the process";
constexpr std::string_view kReadAgain = "read again when the file changes";
constexpr std::string_view kPrecedesFile = "takes precedence over the configuration file";
constexpr std::string_view kWithoutFile = "only without a configuration file";

constexpr std::array<KubeFlagEffect, 62> kEffects = {{
    {"allow-metric-labels", Honoured, ""},
    {"allow-metric-labels-manifest", Honoured, ""},
    {"authentication-kubeconfig", Honoured, ""},
    {"authentication-skip-lookup", Honoured, ""},
    {"authentication-token-webhook-cache-ttl", Honoured, ""},
    {"authentication-tolerate-lookup-failure", Honoured, ""},
    {"authorization-always-allow-paths", Honoured, ""},
    {"authorization-kubeconfig", Honoured, ""},
    {"authorization-webhook-cache-authorized-ttl", Honoured, ""},
    {"authorization-webhook-cache-unauthorized-ttl", Honoured, ""},
    {"bind-address", Honoured, ""},
    {"cert-dir", Honoured, ""},
    {"client-ca-file", Honoured, kReadAgain},
    {"config", Honoured, "older versions are read, too: [configuration.md](configuration.md)"},
    {"contention-profiling", Checked, kNoProfiles},
    {"disable-http2-serving", Honoured, ""},
    {"disabled-metrics", Honoured, ""},
    {"emulated-version", Honoured, "[feature-gates.md](feature-gates.md)"},
    {"feature-gates", Honoured, "[feature-gates.md](feature-gates.md)"},
    {"help", Honoured, ""},
    {"http2-max-streams-per-connection", Honoured, ""},
    {"kube-api-burst", Honoured, kWithoutFile},
    {"kube-api-content-type", Honoured,
     "lists and watches ask for it; bindings and new events are always written as protobuf, the rest as JSON"},
    {"kube-api-qps", Honoured, kWithoutFile},
    {"kubeconfig", Honoured, kWithoutFile},
    {"leader-elect", Honoured, kPrecedesFile},
    {"leader-elect-lease-duration", Honoured, kPrecedesFile},
    {"leader-elect-renew-deadline", Honoured, kPrecedesFile},
    {"leader-elect-resource-lock", Honoured, kPrecedesFile},
    {"leader-elect-resource-name", Honoured, kPrecedesFile},
    {"leader-elect-resource-namespace", Honoured, kPrecedesFile},
    {"leader-elect-retry-period", Honoured, kPrecedesFile},
    {"log-flush-frequency", Checked, kOneStream},
    {"log-json-info-buffer-size", Checked, kOneStream},
    {"log-json-split-stream", Checked, kOneStream},
    {"log-text-info-buffer-size", Checked, kOneStream},
    {"log-text-split-stream", Checked, kOneStream},
    {"logging-format", Honoured, "[logging.md](logging.md)"},
    {"master", Honoured, ""},
    {"min-compatibility-version", Honoured, "[feature-gates.md](feature-gates.md)"},
    {"permit-address-sharing", Checked,
     "addresses are always shared (SO_REUSEADDR), as those of Go programs are on Linux"},
    {"permit-port-sharing", Honoured, ""},
    {"pod-max-in-unschedulable-pods-duration", Honoured, "also with a configuration file"},
    {"profiling", Honoured,
     "off: `/debug/flags/v` and `/debug/pprof/` are not served; there are no Go profiles in any case"},
    {"requestheader-allowed-names", Honoured, ""},
    {"requestheader-client-ca-file", Honoured, kReadAgain},
    {"requestheader-extra-headers-prefix", Honoured, ""},
    {"requestheader-group-headers", Honoured, ""},
    {"requestheader-uid-headers", Honoured, ""},
    {"requestheader-username-headers", Honoured, ""},
    {"secure-port", Honoured, ""},
    {"show-hidden-metrics-for-version", Checked, "no metric is hidden"},
    {"tls-cert-file", Honoured, kReadAgain},
    {"tls-cipher-suites", Honoured, "as far as OpenSSL has them; those of TLS 1.3 are always offered"},
    {"tls-curve-preferences", Honoured, "as far as OpenSSL has them"},
    {"tls-min-version", Honoured, ""},
    {"tls-private-key-file", Honoured, kReadAgain},
    {"tls-sni-cert-key", Honoured, kReadAgain},
    {"v", Honoured, "[logging.md](logging.md)"},
    {"version", Honoured, "see below"},
    {"vmodule", Honoured, "patterns name Berth's modules, not files of kube-scheduler: [logging.md](logging.md)"},
    {"write-config-to", Honoured, "needs neither a kubeconfig nor a free port"},
}};

}  // namespace

std::string_view FlagEffectName(FlagEffect effect) { return effect == Honoured ? "honoured" : "no effect"; }

std::span<const KubeFlagEffect> KubeFlagEffects() { return kEffects; }

}  // namespace berth::cmd
