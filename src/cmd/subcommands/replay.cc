// SPDX-License-Identifier: Apache-2.0
#include "cmd/replay_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Replay : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& /*shared*/) override {
    command_ = program.add_subcommand("replay", "Is everything decided as it was recorded?");
    command_->add_option("FILE", options_.file, "A record that berth simulate --record wrote")
        ->required()
        ->type_name("");
    command_->footer(
        "The record has all that is needed: configuration, seed, and what was done to the cluster, when.\n"
        "Exit code 0: all decisions are as recorded, 3: one differs; it is shown.\n\n"
        "Example:\n"
        "  berth simulate --scenario day.yaml --record day.jsonl && berth replay day.jsonl");
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override { return RunReplay(options_, context.registry, context.streams); }

 private:
  CLI::App* command_ = nullptr;
  ReplayOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> ReplaySubcommand() { return std::make_unique<Replay>(); }

}  // namespace berth::cmd
