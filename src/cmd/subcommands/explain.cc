// SPDX-License-Identifier: Apache-2.0
#include "cmd/ask_scheduler.h"
#include "cmd/explain_command.h"
#include "cmd/explain_past_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <filesystem>
#include <ostream>
#include <system_error>

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Explain : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& shared) override {
    command_ = program.add_subcommand("explain", "Why does a pod go where it goes, and why not elsewhere?");
    command_->add_option("POD", options_.target, "pod/NAMESPACE/NAME, NAMESPACE/NAME, NAME, or pod NAME")
        ->expected(1, 2)
        ->type_name("");
    AddCluster(command_, options_.cluster);
    command_->add_option("--node", options_.node, "Ask about this node: all that speaks against it")->type_name("NODE");
    command_->add_option("--record", options_.record, "Tell what was decided about the pod in a recorded run")
        ->type_name("FILE");
    command_->add_option("--attempt", options_.attempt, "With --record: all about this attempt, from 1")
        ->check(WholeNumber(1))
        ->type_name("N");
    AddScheduler(command_, scheduler_);
    AddOutput(command_, options_.output, {"text", "wide", "json", "yaml"});
    AddGates(command_, shared);
    AddLogging(command_, shared);
    AddColour(command_, shared);
    command_->footer(
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

  bool IsGiven() const override { return command_->parsed(); }

  std::string Missing() const override {
    if (!scheduler_.url.empty()) return options_.cluster.files.empty() ? "" : "--scheduler excludes --filename";
    if (options_.record.empty()) {
      if (options_.attempt) return "--attempt goes with --record";
      return options_.cluster.is_described() ? "" : "--filename is required, or --record, --kubeconfig or --context";
    }
    if (options_.cluster.is_described()) return "--record excludes --filename, --kubeconfig and --context";
    if (!options_.cluster.config.empty()) return "a record has its own configuration: leave --config out";
    return options_.node.empty() ? "" : "--node is for what may be; a record tells what was";
  }

  int Run(const CommandContext& context) override {
    if (!scheduler_.url.empty()) {
      scheduler_.credentials = options_.cluster.server;
      return RunLiveExplain({scheduler_, options_.target, options_.node, options_.output}, context.streams);
    }
    if (!InputIsReadOnce(options_.cluster, "", context.streams) || !HasTarget(context.streams)) return kExitUsage;
    options_.colour = context.colour;
    options_.cluster.log = context.log;
    options_.cluster.gates = context.gates;
    return options_.record.empty() ? RunExplain(options_, context.registry, context.streams)
                                   : RunExplainPast(options_, context.registry, context.streams);
  }

 private:
  // `-f a.yaml b.yaml NAME` parses the pod as a file: trailing arguments that are not files name it.
  bool HasTarget(const Streams& streams) {
    std::vector<std::string>& files = options_.cluster.files;
    std::vector<std::string>& target = options_.target;
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

  CLI::App* command_ = nullptr;
  ExplainOptions options_;
  SchedulerAddress scheduler_;  // to ask instead
};

}  // namespace

std::unique_ptr<Subcommand> ExplainSubcommand() { return std::make_unique<Explain>(); }

}  // namespace berth::cmd
