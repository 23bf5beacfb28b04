// SPDX-License-Identifier: Apache-2.0
#include "cmd/main_entry.h"

#include "cmd/config_command.h"
#include "cmd/conformance_command.h"
#include "cmd/demo_command.h"
#include "cmd/explain_command.h"
#include "cmd/simulate_command.h"
#include "config/suggest.h"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr std::string_view kVersionLine = "berth " BERTH_VERSION ", decides as kube-scheduler v1.36";

constexpr std::string_view kAbout =
    "Berth: a general-purpose scheduler\n\n"
    "Answers go to standard output, everything else to standard error. Exit codes: 0 yes, 1 could not be done,\n"
    "2 asked wrongly, 3 the answer is \"no\" (pods stay pending, a check found problems).";

// The commands and their options, and which of them was asked for.
class CommandLine {
 public:
  CommandLine() : app_(std::string(kAbout), "berth") {
    app_.require_subcommand(1);
    app_.set_version_flag("--version", std::string(kVersionLine));
    app_.get_formatter()->column_width(34);
    AddSimulate();
    AddExplain();
    AddConfig();
    AddConformance();
    AddDemo();
    version_ = app_.add_subcommand("version", "Print the version");
  }

  CLI::App& app() { return app_; }

  int Run(const framework::Registry& registry, const Streams& streams) {
    const bool colour = WantsColour(colour_, streams);
    simulate_options_.colour = explain_options_.colour = demo_options_.colour = colour;
    if (simulate_->parsed()) {
      return InputIsReadOnce(simulate_options_.cluster, streams) ? RunSimulate(simulate_options_, registry, streams)
                                                                 : kExitUsage;
    }
    if (explain_->parsed()) {
      return InputIsReadOnce(explain_options_.cluster, streams) && HasTarget(streams)
                 ? RunExplain(explain_options_, registry, streams)
                 : kExitUsage;
    }
    const ConfigStreams config_streams{streams.out, streams.err, colour};
    if (config_check_->parsed()) return RunConfigCheck(config_files_, registry, config_streams);
    if (config_convert_->parsed()) return RunConfigConvert(config_file_, config_streams);
    if (config_defaults_->parsed()) return RunConfigDefaults(config_streams);
    if (config_diff_->parsed()) return RunConfigDiff(config_file_, registry, config_streams);
    if (conformance_->parsed()) return RunConformance(conformance_options_, registry, streams);
    if (demo_->parsed()) return RunDemo(demo_options_, registry, streams);
    *streams.out << kVersionLine << '\n';
    return kExitOk;
  }

 private:
  void AddCluster(CLI::App* command, ClusterOptions& options) {
    command
        ->add_option("-f,--filename", options.files,
                     "Files or directories with the cluster's objects; - is standard input")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--config", options.config, "KubeSchedulerConfiguration to decide by; default: kube-scheduler's")
        ->type_name("FILE");
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

  void AddSimulate() {
    simulate_ = app_.add_subcommand("simulate", "Where would the pending pods of a cluster go?");
    AddCluster(simulate_, simulate_options_.cluster);
    AddOutput(simulate_, simulate_options_.output, {"table", "wide", "json", "yaml"});
    simulate_->add_option("--seed", simulate_options_.seed, "Decides between nodes of equal score; default: 0")
        ->type_name("N");
    AddColour(simulate_);
    simulate_->footer(
        "Exit code 0: every pod finds a node, 3: some stay pending.\n\n"
        "Examples:\n"
        "  berth simulate -f cluster.yaml\n"
        "  kubectl get nodes,pods,pdb,priorityclasses -A -o yaml | berth simulate -f - -o wide\n"
        "  berth simulate -f snapshot/ new-pods.yaml --config scheduler.yaml -o json");
  }

  void AddExplain() {
    explain_ = app_.add_subcommand("explain", "Why does a pod go where it goes, and why not elsewhere?");
    explain_->add_option("POD", explain_options_.target, "pod/NAMESPACE/NAME, NAMESPACE/NAME, NAME, or pod NAME")
        ->expected(1, 2)
        ->type_name("");
    AddCluster(explain_, explain_options_.cluster);
    explain_->add_option("--node", explain_options_.node, "Ask about this node: all that speaks against it")
        ->type_name("NODE");
    AddOutput(explain_, explain_options_.output, {"text", "wide", "json", "yaml"});
    AddColour(explain_);
    explain_->footer(
        "The pod is judged alone against the cluster as described; nothing else is placed. A running pod is taken\n"
        "off first. Exit code 0: it can be placed (with --node: there), 3: it cannot.\n\n"
        "Examples:\n"
        "  berth explain shop/web-3 -f cluster.yaml\n"
        "  berth explain pod/shop/web-3 -f cluster.yaml --node node-a1\n"
        "  berth explain web-3 -f cluster.yaml -o json");
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
    for (CLI::App* command : {config_check_, config_convert_, config_defaults_, config_diff_}) AddColour(command);
  }

  void AddConformance() {
    conformance_ = app_.add_subcommand("conformance", "Compare decisions with golden cases of kube-scheduler");
    conformance_->add_option("FILE", conformance_options_.files, "Golden case files")->required()->type_name("");
    conformance_->add_option("--case", conformance_options_.only_case, "Show one case side by side")->type_name("ID");
    conformance_->footer(
        "Exit code 0: all decisions are equal, 3: some differ.\n\nExample:\n  berth conformance cases.jsonl");
  }

  void AddDemo() {
    demo_ = app_.add_subcommand("demo", "A short tour on a sample cluster");
    demo_->add_flag("--cluster", demo_options_.print_cluster, "Only print the sample cluster, to try things on");
    AddColour(demo_);
    demo_->footer("Examples:\n  berth demo\n  berth demo --cluster > cluster.yaml");
  }

  // `-f a.yaml b.yaml NAME` leaves the pod among the files: what follows them and is none of them names it.
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

  static bool InputIsReadOnce(const ClusterOptions& options, const Streams& streams) {
    const auto times = std::count(options.files.begin(), options.files.end(), "-") + (options.config == "-" ? 1 : 0);
    if (times <= 1) return true;
    *streams.err << "berth: \"-\" stands for standard input, which can be read only once\n";
    return false;
  }

  CLI::App app_;
  CLI::App* simulate_ = nullptr;
  CLI::App* explain_ = nullptr;
  CLI::App* config_check_ = nullptr;
  CLI::App* config_convert_ = nullptr;
  CLI::App* config_defaults_ = nullptr;
  CLI::App* config_diff_ = nullptr;
  CLI::App* conformance_ = nullptr;
  CLI::App* demo_ = nullptr;
  CLI::App* version_ = nullptr;
  SimulateOptions simulate_options_;
  ExplainOptions explain_options_;
  conformance::RunOptions conformance_options_;
  DemoOptions demo_options_;
  std::vector<std::string> config_files_;
  std::string config_file_;
  std::string colour_ = "auto";
};

// The innermost command that was reached.
const CLI::App& Reached(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : Reached(*below.front());
}

std::string PathOf(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : PathOf(*command.get_parent()) + " " + command.get_name();
}

// What could have stood where the unknown word stands.
std::vector<std::string> Candidates(const CLI::App& command, bool flags) {
  std::vector<std::string> names;
  if (flags) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  } else {
    for (const CLI::App* below : command.get_subcommands(nullptr)) names.push_back(below->get_name());
  }
  return names;
}

// The candidate that is meant: a near one, or one that was cut short.
std::string Likely(const std::string& word, const std::vector<std::string>& candidates) {
  constexpr size_t kShortest = 4;
  if (std::string near = config::Nearest(word, candidates); !near.empty()) return near;
  if (word.size() < kShortest) return "";
  const auto it = std::find_if(candidates.begin(), candidates.end(),
                               [&](const auto& candidate) { return candidate.starts_with(word); });
  return it == candidates.end() ? "" : *it;
}

// What is wrong with the words, why, and what to do instead.
std::string Complaint(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = Reached(app);
  const std::string path = PathOf(command);
  const std::vector<std::string> unknown = app.remaining(true);
  if (unknown.empty()) return fmt::format("{}: {}", path, error.what());
  const auto flag =
      std::find_if(unknown.begin(), unknown.end(), [](const auto& word) { return word.starts_with("-"); });
  const bool is_flag = flag != unknown.end();
  const std::string word = is_flag ? flag->substr(0, flag->find('=')) : unknown.front();
  const bool takes_commands = !command.get_subcommands(nullptr).empty();
  const std::string_view what = is_flag ? "flag" : takes_commands ? "command" : "argument";
  std::string text = fmt::format("{}: unknown {} \"{}\"", path, what, word);
  if (const std::string near = Likely(word, Candidates(command, is_flag)); !near.empty()) {
    text += fmt::format("; did you mean \"{}\"?", near);
  } else if (!is_flag && !takes_commands && command.get_option_no_throw("--filename") != nullptr) {
    text += "; files are named after -f";
  }
  return text;
}

int ComplainAndAdvise(const CLI::App& app, const CLI::ParseError& error, const Streams& streams) {
  *streams.err << Complaint(app, error) << '\n';
  *streams.err << fmt::format("Run '{} --help' for usage and examples.\n", PathOf(Reached(app)));
  return kExitUsage;
}

}  // namespace

int RunCommandLine(const std::vector<std::string>& arguments, const framework::Registry& registry,
                   const Streams& streams) {
  CommandLine line;
  CLI::App& app = line.app();
  std::vector<std::string> words = arguments;
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.empty()) {
    *streams.err << app.help();
    return kExitUsage;
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
  try {
    app.parse(words);
  } catch (const CLI::Success& success) {
    app.exit(success, *streams.out, *streams.err);  // --help and --version
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return ComplainAndAdvise(app, error, streams);
  }
  return line.Run(registry, streams);
}

int Main(int argc, char** argv, const framework::Registry& registry) {
  const Streams streams = ProcessStreams();
  const int code = RunCommandLine(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), registry, streams);
  if (!std::cout.flush()) {
    std::cerr << "berth: the answer could not be written to standard output\n";
    return kExitFailed;
  }
  return code;
}

}  // namespace berth::cmd
