// SPDX-License-Identifier: Apache-2.0
#include "cmd/main_entry.h"

#include "cmd/gate_options.h"
#include "cmd/kube_command.h"
#include "cmd/kube_entry.h"
#include "cmd/log_options.h"
#include "cmd/remote_plugins.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"
#include "cmd/usage_advice.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr std::string_view kVersionLine = "berth " BERTH_VERSION ", decides as kube-scheduler v1.36";

constexpr std::string_view kKubeScheduler = "kube-scheduler";

constexpr std::string_view kAbout =
    "Berth: a general-purpose scheduler\n\n"
    "Answers go to standard output, everything else to standard error. Exit codes: 0 yes, 1 could not be done,\n"
    "2 wrong usage, 3 the answer is \"no\" (pods stay pending, a check found problems).";

// The commands, and which one was given.
class CommandLine {
 public:
  CommandLine() : app_(std::string(kAbout), "berth") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string(kVersionLine));
    app_.get_formatter()->column_width(34);
    for (const auto make : {SimulateSubcommand, ReplaySubcommand, ExplainSubcommand, QueueSubcommand, ConfigSubcommand,
                            ConformanceSubcommand, DemoSubcommand, ManifestsSubcommand, PluginSubcommand}) {
      commands_.push_back(make());
      commands_.back()->AddTo(app_, flags_);
    }
    // Only listed here: RunKube parses its flags, by kube-scheduler's rules.
    app_.add_subcommand("kube", "Schedule the pods of a Kubernetes cluster, with kube-scheduler's flags");
    app_.add_subcommand("version", "Print the version");
  }

  CLI::App& app() { return app_; }

  // What is wrong with the options in combination; empty when nothing is.
  std::string Missing() const {
    const Subcommand* given = Given();
    return given == nullptr ? "" : given->Missing();
  }

  int Run(const framework::Registry& registry, const Streams& streams) {
    Subcommand* given = Given();
    if (given == nullptr) {
      *streams.out << kVersionLine << '\n';
      return kExitOk;
    }
    const SystemClock clock;
    Result<Log> log = OpenLog(flags_.log, *streams.err, clock);
    if (!log) return Complain(log.error(), streams);
    Result<features::FeatureGates> gates = GatesFrom(flags_.gates, *streams.err);
    if (!gates) return Complain(gates.error(), streams);
    return given->Run({registry, streams, WantsColour(flags_.colour, streams), log->root, *std::move(gates)});
  }

 private:
  // Null for "version".
  Subcommand* Given() const {
    const auto given = std::find_if(commands_.begin(), commands_.end(), [](const auto& one) { return one->IsGiven(); });
    return given == commands_.end() ? nullptr : given->get();
  }

  static int Complain(const Error& error, const Streams& streams) {
    *streams.err << "berth: " << error.message << '\n';
    return kExitUsage;
  }

  CLI::App app_;
  SharedFlags flags_;
  std::vector<std::unique_ptr<Subcommand>> commands_;
};

int ComplainAndAdvise(const CLI::App& app, const std::string& complaint, const Streams& streams) {
  *streams.err << complaint << '\n';
  *streams.err << fmt::format("Run '{} --help' for usage and examples.\n", ReachedCommand(app));
  return kExitUsage;
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& arguments, const framework::Registry& registry,
                   const Streams& streams) {
  CommandLine line;
  CLI::App& app = line.app();
  std::vector<std::string> words = arguments;
  // kube-scheduler accepts -v=4, for which CLI11 needs two dashes.
  for (std::string& word : words) {
    if (word.starts_with("-v=")) word.insert(0, "-");
  }
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (!words.empty() && words.front() == "kube") {
    return RunKube({words.begin() + 1, words.end()}, registry, streams, "berth kube", RunKubeProcess);
  }
  if (words.empty()) {
    *streams.err << app.help();
    return kExitUsage;
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes arguments from the back
  try {
    app.parse(words);
  } catch (const CLI::Success& success) {
    app.exit(success, *streams.out, *streams.err);  // --help and --version
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return ComplainAndAdvise(app, Complaint(app, error), streams);
  }
  if (const std::string missing = line.Missing(); !missing.empty()) {
    return ComplainAndAdvise(app, fmt::format("{}: {}", ReachedCommand(app), missing), streams);
  }
  return line.Run(WithRemotePlugins(registry), streams);
}

namespace {

std::string NameOf(int argc, char** argv) { return argc > 0 ? std::filesystem::path(argv[0]).filename().string() : ""; }

// `as_kube`: the arguments are kube-scheduler's.
int RunProgram(int argc, char** argv, const framework::Registry& registry, bool as_kube) {
  const Streams streams = ProcessStreams();
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  int code = kExitFailed;
  try {
    code = as_kube ? RunKube(arguments, registry, streams, NameOf(argc, argv), RunKubeProcess)
                   : RunCommandLine(arguments, registry, streams);
  } catch (const std::exception& failure) {
    // What the system refuses to a library: files (ulimit -n), memory, threads.
    std::cerr << "berth: " << failure.what() << '\n';
  }
  if (!std::cout.flush()) {
    std::cerr << "berth: the answer could not be written to standard output\n";
    return kExitFailed;
  }
  return code;
}

}  // namespace

int Main(int argc, char** argv, const framework::Registry& registry) {
  return RunProgram(argc, argv, registry, NameOf(argc, argv) == kKubeScheduler);
}

int SchedulerMain(int argc, char** argv, const framework::Registry& registry) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool asks_for_itself = first == "--help" || first == "-h" || first == "--version";
  const bool as_kube = first.starts_with('-') && !asks_for_itself;
  return RunProgram(argc, argv, registry, as_kube || NameOf(argc, argv) == kKubeScheduler);
}

}  // namespace berth::cmd
