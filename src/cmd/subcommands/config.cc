// SPDX-License-Identifier: Apache-2.0
#include "cmd/config_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Config : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& shared) override {
    command_ = program.add_subcommand("config", "Check, convert and compare scheduler configurations");
    command_->require_subcommand(1);
    command_->footer("Example:\n  berth config check scheduler.yaml");
    check_ = command_->add_subcommand("check", "Find every problem of configurations");
    check_->add_option("FILE", files_, "KubeSchedulerConfiguration files")->required()->type_name("");
    check_->footer(
        "Exit code 0: all are good, 3: problems were found.\n\nExample:\n  berth config check scheduler.yaml");
    convert_ = command_->add_subcommand("convert", "Print an older configuration as v1");
    convert_->add_option("FILE", file_, "The configuration, or a Policy file")->required()->type_name("");
    convert_->footer("Example:\n  berth config convert v1beta2.yaml > v1.yaml");
    defaults_ = command_->add_subcommand("defaults", "Print the configuration that an empty file means");
    defaults_->footer("Example:\n  berth config defaults > scheduler.yaml");
    diff_ = command_->add_subcommand("diff", "Show what a configuration changes against the defaults");
    diff_->add_option("FILE", file_, "The configuration")->required()->type_name("");
    diff_->footer("Exit code 0: nothing, 3: something.\n\nExample:\n  berth config diff scheduler.yaml");
    for (CLI::App* command : {check_, convert_, defaults_, diff_}) {
      AddGates(command, shared);
      AddColour(command, shared);
    }
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override {
    const ConfigStreams streams{context.streams.out, context.streams.err, context.colour};
    if (check_->parsed()) return RunConfigCheck(files_, context.registry, streams, context.gates);
    if (convert_->parsed()) return RunConfigConvert(file_, context.registry, streams, context.gates);
    if (defaults_->parsed()) return RunConfigDefaults(context.registry, streams, context.gates);
    return RunConfigDiff(file_, context.registry, streams, context.gates);
  }

 private:
  CLI::App* command_ = nullptr;
  CLI::App* check_ = nullptr;
  CLI::App* convert_ = nullptr;
  CLI::App* defaults_ = nullptr;
  CLI::App* diff_ = nullptr;
  std::vector<std::string> files_;  // to check
  std::string file_;                // to convert or compare
};

}  // namespace

std::unique_ptr<Subcommand> ConfigSubcommand() { return std::make_unique<Config>(); }

}  // namespace berth::cmd
