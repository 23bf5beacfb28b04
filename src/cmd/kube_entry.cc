// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_entry.h"

#include "api/document.h"
#include "cmd/kube_configuration.h"
#include "cmd/kube_logging.h"
#include "cmd/kube_version.h"
#include "cmd/remote_plugins.h"
#include "config/encode.h"
#include "config/fields/field_errors.h"
#include "features/diagnosis.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

constexpr std::string_view kAboutKube =
    "Berth as the scheduler of a Kubernetes cluster, in place of kube-scheduler: it takes kube-scheduler's flags and\n"
    "configuration, and binds each pod to the node that kube-scheduler would choose.\n"
    "docs/kube-scheduler-flags.md says what it makes of each flag.";

int Refuse(const log::Logger& log, std::string_view why) {
  log.Error("command failed", {{"err", why}});
  return kExitFailed;
}

std::string UsageLine(std::string_view called_as) { return fmt::format("Usage:\n  {} [flags]\n", called_as); }

void PrintHelp(std::string_view called_as, const Streams& streams) {
  *streams.out << kAboutKube << "\n\n"
               << UsageLine(called_as) << KubeFlagsUsage(streams.out_is_terminal ? streams.width : 0)
               << "\nBerth's own flags:\n\n"
                  "      --shadow                  Decide and compare with the scheduler in charge; write nothing\n"
                  "      --strict-extender-order   While one pod waits for scheduler extenders, try no other, as "
                  "kube-scheduler\n";
}

std::string VersionToReport(const KubeFlags& kube) {
  return kube.reported_version.empty() ? KubeVersion() : kube.reported_version;
}

// Empty arguments are no arguments, as upstream.
bool HasArguments(const KubeFlags& kube) {
  return std::ranges::any_of(kube.arguments, [](const std::string& argument) { return !argument.empty(); });
}

int RefuseArguments(const KubeFlags& kube, std::string_view called_as, const Streams& streams) {
  std::vector<std::string> quoted(kube.arguments.size());
  std::ranges::transform(kube.arguments, quoted.begin(), config::Quoted);
  *streams.err << fmt::format("Error: \"{}\" does not take any arguments, got [{}]\n", called_as,
                              fmt::join(quoted, " "));
  return kExitFailed;
}

// The gates that the flags set; what Berth does not follow is warned about.
Result<features::FeatureGates> SetGates(const features::GateFlags& flags, config::Messages& warnings) {
  BERTH_ASSIGN_OR_RETURN(features::FeatureGates gates, features::FeatureGates::FromFlags(flags));
  config::Messages refused;
  for (features::GateDiagnosis& diagnosis : features::Diagnose(gates)) {
    (diagnosis.refused ? refused : warnings).push_back(std::move(diagnosis.text));
  }
  if (!refused.empty()) return InvalidError(config::Joined(refused));
  return gates;
}

void LogFlags(const KubeFlags& kube, const log::Logger& log) {
  if (!log.On(1)) return;
  for (const auto& [name, value] : kube.values) log.V(1).Info("Flag", {{"name", name}, {"value", value}});
}

// A flag of Berth's own, taken out of what pflag's rules are for.
bool TakeFlag(std::string_view flag, std::vector<std::string>& arguments) {
  bool given = false;
  std::erase_if(arguments, [&](const std::string& argument) {
    if (argument == flag || argument == fmt::format("{}=true", flag)) return given = true;
    return argument == fmt::format("{}=false", flag);
  });
  return given;
}

struct Started {
  const KubeFlags& flags;
  const OwnFlags& own;
  const features::FeatureGates& gates;
  const config::Messages& warnings;
  const framework::Registry& registry;
  const Streams& streams;
  const Clock& clock;
  const Log& log;
};

int Start(const Started& started, const KubeRunner& runner) {
  const auto& [kube, own, gates, warnings, registry, streams, clock, log] = started;
  const log::Logger setup = log.root.Named("setup");
  LogFlags(kube, setup);
  for (const std::string& warning : warnings) setup.Warning(warning);
  const FlagProblems problems = ValidateKubeFlags(kube, gates);
  for (const std::string& warning : problems.warnings) setup.Warning(warning);
  if (!problems.errors.empty()) return Refuse(setup, config::Joined(problems.errors));
  Result<config::PlannedConfiguration> configuration = ConfigurationOf(kube, registry, gates);
  if (!configuration) return Refuse(setup, configuration.error().message);
  Result<ServingTls> tls = ServingTlsOf(kube.serving);
  if (!tls) return Refuse(setup, tls.error().message);
  for (const std::string& note : configuration->loaded.notes) setup.Info("Configuration", {{"note", note}});
  for (const std::string& flag : FlagsIgnoredForFile(kube)) {
    setup.Warning("Flag is ignored because there is a configuration file", {{"flag", flag}, {"file", kube.config}});
  }
  if (setup.On(2)) {
    setup.V(2).Info("Using component config",
                    {{"config", api::ToYaml(config::EncodeConfiguration(configuration->loaded.config))}});
  }
  if (!kube.write_config_to.empty()) {
    const Result<void> written = WriteConfiguration(configuration->loaded.config, kube.write_config_to);
    if (!written) return Refuse(setup, written.error().message);
    setup.Info("Wrote configuration", {{"file", kube.write_config_to}});
    return kExitOk;
  }
  return runner({kube, own, std::move(*configuration), std::move(*tls), VersionToReport(kube), log.root,
                 [output = log.output.get()](int verbosity) { output->SetVerbosity(verbosity); }, clock, registry,
                 streams});
}

}  // namespace

int RunKube(const std::vector<std::string>& arguments, const framework::Registry& registry, const Streams& streams,
            std::string_view called_as, const KubeRunner& runner) {
  std::vector<std::string> given = arguments;
  const OwnFlags own{TakeFlag("--shadow", given), TakeFlag("--strict-extender-order", given)};
  const Result<KubeFlags> kube = ParseKubeFlags(given);
  if (!kube) {
    *streams.err << UsageLine(called_as) << KubeFlagsUsage(streams.err_is_terminal ? streams.width : 0) << '\n'
                 << fmt::format("Error: {}\n", kube.error().message);
    return kExitFailed;
  }
  if (kube->help) {
    PrintHelp(called_as, streams);
    return kExitOk;
  }
  if (HasArguments(*kube)) return RefuseArguments(*kube, called_as, streams);
  const SystemClock clock;
  config::Messages warnings;
  const Result<features::FeatureGates> gates = SetGates(kube->gates, warnings);
  // How to log is not settled before gates are.
  if (!gates) return Refuse(OpenKubeLog({}, *streams.err, clock).root.Named("setup"), gates.error().message);
  if (kube->version == VersionRequest::Raw) {
    *streams.out << RawVersion(KubeBuild(VersionToReport(*kube))) << '\n';
    return kExitOk;
  }
  if (kube->version == VersionRequest::Short) {
    *streams.out << "Kubernetes " << VersionToReport(*kube) << '\n';
    return kExitOk;
  }
  if (const config::Messages errors = ValidateLogging(kube->logging, *gates); !errors.empty()) {
    *streams.err << config::Joined(errors) << '\n';
    return kExitFailed;
  }
  const Log log = OpenKubeLog(kube->logging, *streams.err, clock);
  const framework::Registry with_remote = WithRemotePlugins(registry);
  return Start({*kube, own, *gates, warnings, with_remote, streams, clock, log}, runner);
}

}  // namespace berth::cmd
