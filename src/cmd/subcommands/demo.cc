// SPDX-License-Identifier: Apache-2.0
#include "cmd/demo_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Demo : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& shared) override {
    command_ = program.add_subcommand("demo", "A short tour on a sample cluster");
    command_->add_flag("--cluster", options_.print_cluster, "Only print the sample cluster, to try things on");
    AddColour(command_, shared);
    command_->footer("Examples:\n  berth demo\n  berth demo --cluster > cluster.yaml");
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override {
    options_.colour = context.colour;
    return RunDemo(options_, context.registry, context.streams);
  }

 private:
  CLI::App* command_ = nullptr;
  DemoOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> DemoSubcommand() { return std::make_unique<Demo>(); }

}  // namespace berth::cmd
