// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_new_command.h"
#include "cmd/plugin_templates.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Plugin : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& /*shared*/) override {
    command_ = program.add_subcommand("plugin", "Begin a plugin");
    command_->require_subcommand(1);
    command_->footer("Example:\n  berth plugin new --lang cpp rack-aware");
    AddNew();
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override {
    return RunPluginNew(new_options_, context.registry, context.streams);
  }

 private:
  void AddNew() {
    new_ = command_->add_subcommand("new", "Write a project with a plugin that works, to begin from");
    new_->add_option("NAME", new_options_.name, "What configurations call the plugin")->required()->type_name("");
    new_->add_option("--lang", new_options_.language, "What to write it in; default: cpp")
        ->check(CLI::IsMember(PluginLanguages()))
        ->type_name("LANGUAGE");
    new_->add_option("--out", new_options_.folder, "Folder to write; default: called like the plugin")
        ->type_name("FOLDER");
    new_->footer(
        "Examples:\n  berth plugin new rack-aware\n  berth plugin new --lang cpp RackAware --out plugins/racks");
  }

  CLI::App* command_ = nullptr;
  CLI::App* new_ = nullptr;
  PluginNewOptions new_options_;
};

}  // namespace

std::unique_ptr<Subcommand> PluginSubcommand() { return std::make_unique<Plugin>(); }

}  // namespace berth::cmd
