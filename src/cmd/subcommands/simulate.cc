// SPDX-License-Identifier: Apache-2.0
#include "cmd/simulate_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Simulate : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& shared) override {
    command_ = program.add_subcommand("simulate", "Where would the pending pods of a cluster go, now or over time?");
    AddCluster(command_, options_.cluster);
    command_->add_option("--scenario", options_.scenario, "What happens to the cluster, and when")->type_name("FILE");
    command_->add_flag("--ask-extenders", options_.cluster.asks_extenders,
                       "Ask the extenders that the configuration names, except to bind");
    AddOutput(command_, options_.output, {"table", "wide", "json", "yaml"});
    command_
        ->add_option(
            "--seed", options_.seed,
            "Decides between nodes of equal score, and all chances of a scenario; default: 0, or the scenario's")
        ->check(WholeNumber())
        ->type_name("N");
    command_->add_option("--record", options_.record, "Record the run in this file, for berth replay")
        ->type_name("FILE");
    AddGates(command_, shared);
    AddLogging(command_, shared);
    AddColour(command_, shared);
    command_->footer(
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

  bool IsGiven() const override { return command_->parsed(); }

  std::string Missing() const override {
    if (options_.cluster.is_described() || !options_.scenario.empty()) return "";
    return "--filename is required, or --scenario, --kubeconfig or --context";
  }

  int Run(const CommandContext& context) override {
    if (!InputIsReadOnce(options_.cluster, options_.scenario, context.streams)) return kExitUsage;
    options_.colour = context.colour;
    options_.cluster.log = context.log;
    options_.cluster.gates = context.gates;
    return RunSimulate(options_, context.registry, context.streams);
  }

 private:
  CLI::App* command_ = nullptr;
  SimulateOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> SimulateSubcommand() { return std::make_unique<Simulate>(); }

}  // namespace berth::cmd
