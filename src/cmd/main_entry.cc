// SPDX-License-Identifier: Apache-2.0
#include "cmd/main_entry.h"

#include "cmd/ask_scheduler.h"
#include "cmd/config_command.h"
#include "cmd/conformance_command.h"
#include "cmd/demo_command.h"
#include "cmd/explain_command.h"
#include "cmd/explain_past_command.h"
#include "cmd/gate_options.h"
#include "cmd/kube_command.h"
#include "cmd/kube_entry.h"
#include "cmd/log_options.h"
#include "cmd/manifests.h"
#include "cmd/manifests_command.h"
#include "cmd/replay_command.h"
#include "cmd/simulate_command.h"
#include "cmd/usage_advice.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::cmd {
namespace {

// Rejects what CLI11's conversion would accept: signs, fractions, numbers that overflow.
CLI::Validator WholeNumber(uint64_t least = 0) {
  return {[least](const std::string& text) {
            uint64_t number = 0;
            const char* const end = text.data() + text.size();
            const auto [read, problem] = std::from_chars(text.data(), end, number);
            if (problem == std::errc() && read == end && number >= least) return std::string();
            return fmt::format("\"{}\" is not a whole number from {} on", text, least);
          },
          ""};
}

constexpr std::string_view kVersionLine = "berth " BERTH_VERSION ", decides as kube-scheduler v1.36";

constexpr std::string_view kKubeScheduler = "kube-scheduler";

constexpr std::string_view kAbout =
    "Berth: a general-purpose scheduler\n\n"
    "Answers go to standard output, everything else to standard error. Exit codes: 0 yes, 1 could not be done,\n"
    "2 wrong usage, 3 the answer is \"no\" (pods stay pending, a check found problems).";

// The commands and their options, and which one was given.
class CommandLine {
 public:
  CommandLine() : app_(std::string(kAbout), "berth") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string(kVersionLine));
    app_.get_formatter()->column_width(34);
    AddSimulate();
    AddReplay();
    AddExplain();
    AddQueue();
    AddConfig();
    AddConformance();
    AddDemo();
    AddManifests();
    // Only listed here: RunKube parses its flags, by kube-scheduler's rules.
    app_.add_subcommand("kube", "Schedule the pods of a Kubernetes cluster, with kube-scheduler's flags");
    version_ = app_.add_subcommand("version", "Print the version");
  }

  CLI::App& app() { return app_; }

  // What is wrong with the options in combination; empty when nothing is.
  std::string Missing() const {
    const bool has_scenario = !simulate_options_.scenario.empty();
    if (simulate_->parsed() && !simulate_options_.cluster.is_described() && !has_scenario) {
      return "--filename is required, or --scenario, --kubeconfig or --context";
    }
    if (queue_->parsed() && queue_options_.scheduler.url.empty()) return "--scheduler is required";
    if (!explain_->parsed()) return "";
    if (!scheduler_.url.empty()) return explain_options_.cluster.files.empty() ? "" : "--scheduler excludes --filename";
    if (explain_options_.record.empty()) {
      if (explain_options_.attempt) return "--attempt goes with --record";
      return explain_options_.cluster.is_described() ? ""
                                                     : "--filename is required, or --record, --kubeconfig or --context";
    }
    if (explain_options_.cluster.is_described()) return "--record excludes --filename, --kubeconfig and --context";
    if (!explain_options_.cluster.config.empty()) return "a record has its own configuration: leave --config out";
    return explain_options_.node.empty() ? "" : "--node is for what may be; a record tells what was";
  }

  int Run(const framework::Registry& registry, const Streams& streams) {
    const bool colour = WantsColour(colour_, streams);
    simulate_options_.colour = explain_options_.colour = demo_options_.colour = colour;
    const SystemClock clock;
    Result<Log> log = OpenLog(log_flags_, *streams.err, clock);
    if (!log) return Complain(log.error(), streams);
    Result<features::FeatureGates> gates = GatesFrom(gate_flags_, *streams.err);
    if (!gates) return Complain(gates.error(), streams);
    simulate_options_.cluster.log = explain_options_.cluster.log = log->root;
    simulate_options_.cluster.gates = explain_options_.cluster.gates = *gates;
    if (simulate_->parsed()) {
      const bool once = InputIsReadOnce(simulate_options_.cluster, simulate_options_.scenario, streams);
      return once ? RunSimulate(simulate_options_, registry, streams) : kExitUsage;
    }
    if (replay_->parsed()) return RunReplay(replay_options_, registry, streams);
    if (queue_->parsed()) return RunQueue(queue_options_, streams);
    if (explain_->parsed() && !scheduler_.url.empty()) {
      return RunLiveExplain({LiveScheduler(explain_options_.cluster.server), explain_options_.target,
                             explain_options_.node, explain_options_.output},
                            streams);
    }
    if (explain_->parsed()) {
      if (!InputIsReadOnce(explain_options_.cluster, "", streams) || !HasTarget(streams)) return kExitUsage;
      return explain_options_.record.empty() ? RunExplain(explain_options_, registry, streams)
                                             : RunExplainPast(explain_options_, registry, streams);
    }
    const ConfigStreams config_streams{streams.out, streams.err, colour};
    if (config_check_->parsed()) return RunConfigCheck(config_files_, registry, config_streams, *gates);
    if (config_convert_->parsed()) return RunConfigConvert(config_file_, registry, config_streams, *gates);
    if (config_defaults_->parsed()) return RunConfigDefaults(registry, config_streams, *gates);
    if (config_diff_->parsed()) return RunConfigDiff(config_file_, registry, config_streams, *gates);
    if (conformance_->parsed()) {
      return random_ ? RunRandomConformance(random_options_, registry, streams)
                     : RunConformance(conformance_options_, registry, streams);
    }
    if (demo_->parsed()) return RunDemo(demo_options_, registry, streams);
    if (manifests_->parsed()) return RunManifests(manifests_options_, streams);
    *streams.out << kVersionLine << '\n';
    return kExitOk;
  }

 private:
  void AddCluster(CLI::App* command, ClusterOptions& options) {
    command
        ->add_option("-f,--filename", options.files,
                     "Files or directories with the cluster's objects; - is standard input")
        ->type_name("FILE");
    command
        ->add_option("--config", options.config, "KubeSchedulerConfiguration to decide by; default: kube-scheduler's")
        ->type_name("FILE");
    command
        ->add_option("--kubeconfig", options.server.kubeconfig,
                     "Ask the cluster of this kubeconfig for its objects; files come on top")
        ->type_name("FILE");
    command->add_option("--context", options.server.context, "The same, by a context of the kubeconfig")
        ->type_name("NAME");
  }

  void AddScheduler(CLI::App* command, SchedulerAddress& address) {
    command->add_option("--scheduler", address.url, "The scheduler to ask: HOST[:PORT], over HTTPS")->type_name("URL");
    command
        ->add_option("--token-file", address.token_file,
                     "File with the bearer token to send; default: the kubeconfig's credentials")
        ->type_name("FILE");
    command
        ->add_option("--certificate-authority", address.certificate_authority,
                     "CA certificates to verify the scheduler with")
        ->type_name("FILE");
    command->add_flag("--insecure-skip-tls-verify", address.insecure, "Accept any certificate of it");
  }

  void AddOutput(CLI::App* command, std::string& output, const std::vector<std::string>& formats) {
    command->add_option("-o,--output", output, fmt::format("How to print the answer; default: {}", formats.front()))
        ->check(CLI::IsMember(formats))
        ->type_name("FORMAT");
  }

  void AddColour(CLI::App* command) {
    command->add_option("--color", colour_, "Colour the answer; auto: on terminals that want it")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->type_name("WHEN");
  }

  void AddGates(CLI::App* command) {
    command
        ->add_option("--feature-gates", gate_flags_.feature_gates,
                     "Feature gates as kube-scheduler takes them: A=true,B=false; may be repeated")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("GATES");
    command
        ->add_option("--emulated-version", gate_flags_.emulated_version,
                     "Feature gates exist and default as in this release, 1.33 to 1.36")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("VERSION");
  }

  void AddLogging(CLI::App* command) {
    command->add_option("--log-format", log_flags_.format, "How log lines on standard error look; default: text")
        ->check(CLI::IsMember({"text", "json"}))
        ->type_name("FORMAT");
    command->add_option("-v,--v", log_flags_.verbosity, "How much is logged; default: 0")
        ->check(WholeNumber())
        ->type_name("N");
    command->add_option("--vmodule", log_flags_.modules, "The same by module, for example plugins/*=4")
        ->type_name("PATTERN=N,…");
  }

  void AddSimulate() {
    simulate_ = app_.add_subcommand("simulate", "Where would the pending pods of a cluster go, now or over time?");
    AddCluster(simulate_, simulate_options_.cluster);
    simulate_->add_option("--scenario", simulate_options_.scenario, "What happens to the cluster, and when")
        ->type_name("FILE");
    AddOutput(simulate_, simulate_options_.output, {"table", "wide", "json", "yaml"});
    simulate_
        ->add_option(
            "--seed", simulate_options_.seed,
            "Decides between nodes of equal score, and all chances of a scenario; default: 0, or the scenario's")
        ->check(WholeNumber())
        ->type_name("N");
    simulate_->add_option("--record", simulate_options_.record, "Record the run in this file, for berth replay")
        ->type_name("FILE");
    AddGates(simulate_);
    AddLogging(simulate_);
    AddColour(simulate_);
    simulate_->footer(
        "Without a scenario the pending pods are placed one after the other. With one, given after --scenario or\n"
        "among the files (kind: Scenario), the whole scheduler runs with a clock that jumps.\n"
        "Exit code 0: every pod finds a node, 3: some stay pending.\n\n"
        "Examples:\n"
        "  berth simulate -f cluster.yaml\n"
        "  kubectl get nodes,pods,pdb,priorityclasses -A -o yaml | berth simulate -f - -o wide\n"
        "  berth simulate -f snapshot/ new-pods.yaml --config scheduler.yaml -o json\n"
        "  berth simulate --scenario day.yaml --record day.jsonl\n"
        "  berth simulate -f cluster.yaml --scenario failures.yaml --seed 7");
  }

  void AddReplay() {
    replay_ = app_.add_subcommand("replay", "Is everything decided as it was recorded?");
    replay_->add_option("FILE", replay_options_.file, "A record that berth simulate --record wrote")
        ->required()
        ->type_name("");
    replay_->footer(
        "The record has all that is needed: configuration, seed, and what was done to the cluster, when.\n"
        "Exit code 0: all decisions are as recorded, 3: one differs; it is shown.\n\n"
        "Example:\n"
        "  berth simulate --scenario day.yaml --record day.jsonl && berth replay day.jsonl");
  }

  void AddExplain() {
    explain_ = app_.add_subcommand("explain", "Why does a pod go where it goes, and why not elsewhere?");
    explain_->add_option("POD", explain_options_.target, "pod/NAMESPACE/NAME, NAMESPACE/NAME, NAME, or pod NAME")
        ->expected(1, 2)
        ->type_name("");
    AddCluster(explain_, explain_options_.cluster);
    explain_->add_option("--node", explain_options_.node, "Ask about this node: all that speaks against it")
        ->type_name("NODE");
    explain_->add_option("--record", explain_options_.record, "Tell what was decided about the pod in a recorded run")
        ->type_name("FILE");
    explain_->add_option("--attempt", explain_options_.attempt, "With --record: all about this attempt, from 1")
        ->check(WholeNumber(1))
        ->type_name("N");
    AddScheduler(explain_, scheduler_);
    AddOutput(explain_, explain_options_.output, {"text", "wide", "json", "yaml"});
    AddGates(explain_);
    AddLogging(explain_);
    AddColour(explain_);
    explain_->footer(
        "The pod is judged alone against the cluster as described; nothing else is placed. A running pod is taken\n"
        "off first. Exit code 0: it can be placed (with --node: there; with --record: its\n"
        "last attempt placed it), 3: it cannot.\n\n"
        "Examples:\n"
        "  berth explain shop/web-3 -f cluster.yaml\n"
        "  berth explain pod/shop/web-3 -f cluster.yaml --node node-a1\n"
        "  berth explain web-3 -f cluster.yaml -o json\n"
        "  berth explain web-3 --record day.jsonl\n"
        "  berth explain shop/web-3 --context production\n"
        "  berth explain shop/web-3 --scheduler 127.0.0.1:10259 --context production --insecure-skip-tls-verify");
  }

  void AddQueue() {
    queue_ = app_.add_subcommand("queue", "Which pods wait in a running scheduler, and why?");
    AddScheduler(queue_, queue_options_.scheduler);
    queue_
        ->add_option("--kubeconfig", queue_options_.scheduler.credentials.kubeconfig,
                     "Kubeconfig whose credentials are sent")
        ->type_name("FILE");
    queue_->add_option("--context", queue_options_.scheduler.credentials.context, "The same, by a context of it")
        ->type_name("NAME");
    AddOutput(queue_, queue_options_.output, {"table", "json"});
    queue_->footer(
        "The scheduler's port is usually reached by kubectl port-forward.\n\n"
        "Example:\n"
        "  berth queue --scheduler 127.0.0.1:10259 --context production --insecure-skip-tls-verify");
  }

  SchedulerAddress LiveScheduler(const ServerOptions& credentials) const {
    SchedulerAddress address = scheduler_;
    address.credentials = credentials;
    return address;
  }

  void AddConfig() {
    CLI::App* config = app_.add_subcommand("config", "Check, convert and compare scheduler configurations");
    config->require_subcommand(1);
    config->footer("Example:\n  berth config check scheduler.yaml");
    config_check_ = config->add_subcommand("check", "Find every problem of configurations");
    config_check_->add_option("FILE", config_files_, "KubeSchedulerConfiguration files")->required()->type_name("");
    config_check_->footer(
        "Exit code 0: all are good, 3: problems were found.\n\nExample:\n  berth config check scheduler.yaml");
    config_convert_ = config->add_subcommand("convert", "Print an older configuration as v1");
    config_convert_->add_option("FILE", config_file_, "The configuration, or a Policy file")->required()->type_name("");
    config_convert_->footer("Example:\n  berth config convert v1beta2.yaml > v1.yaml");
    config_defaults_ = config->add_subcommand("defaults", "Print the configuration that an empty file means");
    config_defaults_->footer("Example:\n  berth config defaults > scheduler.yaml");
    config_diff_ = config->add_subcommand("diff", "Show what a configuration changes against the defaults");
    config_diff_->add_option("FILE", config_file_, "The configuration")->required()->type_name("");
    config_diff_->footer("Exit code 0: nothing, 3: something.\n\nExample:\n  berth config diff scheduler.yaml");
    for (CLI::App* command : {config_check_, config_convert_, config_defaults_, config_diff_}) {
      AddGates(command);
      AddColour(command);
    }
  }

  void AddConformance() {
    conformance_ = app_.add_subcommand("conformance", "Compare decisions with golden cases of kube-scheduler");
    CLI::Option* files =
        conformance_->add_option("FILE", conformance_options_.files, "Golden case files")->type_name("");
    CLI::Option* only = conformance_->add_option("--case", conformance_options_.only_case, "Show one case side by side")
                            ->type_name("ID")
                            ->needs(files);
    CLI::Option* random = conformance_->add_flag(
        "--random", random_, "Instead of golden cases: random clusters that change, each pod judged in two ways");
    random->excludes(files)->excludes(only);
    AddRandomOptions(random);
    conformance_->callback([files, random] {
      if (files->count() == 0 && random->count() == 0) throw CLI::RequiredError("FILE or --random");
    });
    conformance_->footer(
        "Exit code 0: all decisions are equal, 3: some differ. With --random, decisions over a cluster changed in\n"
        "place are compared with naive ones over a cluster made afresh each time.\n\n"
        "Examples:\n"
        "  berth conformance cases.jsonl\n"
        "  berth conformance cases.jsonl --case spread-0003\n"
        "  berth conformance --random --seconds 60\n"
        "  berth conformance --random --seed 7 --journey 12 --write journey.jsonl");
  }

  void AddRandomOptions(CLI::Option* random) {
    conformance_->add_option("--seed", random_options_.seed, "Draws the journeys; default: 1")
        ->check(WholeNumber())
        ->type_name("N")
        ->needs(random);
    conformance_->add_option("--seconds", random_options_.seconds, "Stop after this time; default: 10")
        ->check(WholeNumber(1))
        ->type_name("N")
        ->needs(random);
    CLI::Option* journeys =
        conformance_->add_option("--journeys", random_options_.journeys, "Stop after this many journeys")
            ->check(WholeNumber(1))
            ->type_name("N")
            ->needs(random);
    CLI::Option* journey =
        conformance_->add_option("--journey", random_options_.journey, "Only the journey of this number")
            ->check(WholeNumber())
            ->type_name("K")
            ->needs(random)
            ->excludes(journeys);
    conformance_
        ->add_option("--write", random_options_.write_file, "Save that journey as a golden case to compare with later")
        ->type_name("FILE")
        ->needs(journey);
  }

  void AddDemo() {
    demo_ = app_.add_subcommand("demo", "A short tour on a sample cluster");
    demo_->add_flag("--cluster", demo_options_.print_cluster, "Only print the sample cluster, to try things on");
    AddColour(demo_);
    demo_->footer("Examples:\n  berth demo\n  berth demo --cluster > cluster.yaml");
  }

  void AddManifests() {
    manifests_ = app_.add_subcommand("manifests", "Print the objects that run Berth in a Kubernetes cluster");
    std::vector<std::string> overlays;
    for (const Overlay& overlay : Overlays()) overlays.emplace_back(overlay.name);
    manifests_->add_option("--overlay", manifests_options_.overlay, "second-scheduler (default), shadow or replace")
        ->check(CLI::IsMember(overlays))
        ->type_name("OVERLAY");
    manifests_->add_option("--image", manifests_options_.image, "The image to run")->type_name("IMAGE");
    manifests_->add_option("--namespace", manifests_options_.name_space, "Where to run it; not for replace")
        ->type_name("NAMESPACE");
    manifests_->footer(
        "second-scheduler places the pods that ask for the scheduler berth-scheduler; shadow compares its decisions\n"
        "with kube-scheduler's and changes nothing; replace takes over when kube-scheduler ends.\n\n"
        "Examples:\n"
        "  berth manifests --image registry.example.com/berth:0.1.0 | kubectl apply -f -\n"
        "  berth manifests --overlay shadow --namespace trial");
  }

  // `-f a.yaml b.yaml NAME` parses the pod as a file: trailing arguments that are not files name it.
  bool HasTarget(const Streams& streams) {
    std::vector<std::string>& files = explain_options_.cluster.files;
    std::vector<std::string>& target = explain_options_.target;
    std::error_code ignored;
    while (target.size() < 2 && files.size() > 1 && files.back() != "-" &&
           !std::filesystem::exists(files.back(), ignored)) {
      if (!target.empty() && files.back() != "pod" && files.back() != "pods" && files.back() != "po") break;
      target.insert(target.begin(), files.back());
      files.pop_back();
    }
    if (!target.empty()) return true;
    *streams.err << "berth explain: which pod? Write pod/NAMESPACE/NAME, NAMESPACE/NAME or NAME\n";
    return false;
  }

  static int Complain(const Error& error, const Streams& streams) {
    *streams.err << "berth: " << error.message << '\n';
    return kExitUsage;
  }

  static bool InputIsReadOnce(const ClusterOptions& options, const std::string& other, const Streams& streams) {
    const auto times = std::count(options.files.begin(), options.files.end(), "-") + (options.config == "-" ? 1 : 0) +
                       (other == "-" ? 1 : 0);
    if (times <= 1) return true;
    *streams.err << "berth: \"-\" stands for standard input, which can be read only once\n";
    return false;
  }

  CLI::App app_;
  CLI::App* simulate_ = nullptr;
  CLI::App* replay_ = nullptr;
  CLI::App* explain_ = nullptr;
  CLI::App* queue_ = nullptr;
  CLI::App* config_check_ = nullptr;
  CLI::App* config_convert_ = nullptr;
  CLI::App* config_defaults_ = nullptr;
  CLI::App* config_diff_ = nullptr;
  CLI::App* conformance_ = nullptr;
  CLI::App* demo_ = nullptr;
  CLI::App* manifests_ = nullptr;
  CLI::App* version_ = nullptr;
  SimulateOptions simulate_options_;
  ReplayOptions replay_options_;
  ExplainOptions explain_options_;
  SchedulerAddress scheduler_;  // that explain asks
  QueueOptions queue_options_;
  conformance::RunOptions conformance_options_;
  conformance::RandomOptions random_options_;
  bool random_ = false;
  DemoOptions demo_options_;
  ManifestsOptions manifests_options_;
  std::vector<std::string> config_files_;
  std::string config_file_;
  std::string colour_ = "auto";
  features::GateFlags gate_flags_;
  LogFlags log_flags_;
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
  return line.Run(registry, streams);
}

int Main(int argc, char** argv, const framework::Registry& registry) {
  const Streams streams = ProcessStreams();
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const bool as_kube = argc > 0 && std::filesystem::path(argv[0]).filename() == kKubeScheduler;
  int code = kExitFailed;
  try {
    code = as_kube ? RunKube(arguments, registry, streams, kKubeScheduler, RunKubeProcess)
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

}  // namespace berth::cmd
