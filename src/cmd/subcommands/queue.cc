// SPDX-License-Identifier: Apache-2.0
#include "cmd/ask_scheduler.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Queue : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& /*shared*/) override {
    command_ = program.add_subcommand("queue", "Which pods wait in a running scheduler, and why?");
    AddScheduler(command_, options_.scheduler);
    command_
        ->add_option("--kubeconfig", options_.scheduler.credentials.kubeconfig, "Kubeconfig whose credentials are sent")
        ->type_name("FILE");
    command_->add_option("--context", options_.scheduler.credentials.context, "The same, by a context of it")
        ->type_name("NAME");
    AddOutput(command_, options_.output, {"table", "json"});
    command_->footer(
        "The scheduler's port is usually reached by kubectl port-forward.\n\n"
        "Example:\n"
        "  berth queue --scheduler 127.0.0.1:10259 --context production --insecure-skip-tls-verify");
  }

  bool IsGiven() const override { return command_->parsed(); }

  std::string Missing() const override { return options_.scheduler.url.empty() ? "--scheduler is required" : ""; }

  int Run(const CommandContext& context) override { return RunQueue(options_, context.streams); }

 private:
  CLI::App* command_ = nullptr;
  QueueOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> QueueSubcommand() { return std::make_unique<Queue>(); }

}  // namespace berth::cmd
