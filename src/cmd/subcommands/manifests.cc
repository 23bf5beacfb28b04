// SPDX-License-Identifier: Apache-2.0
#include "cmd/manifests.h"

#include "cmd/manifests_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Manifests : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& /*shared*/) override {
    command_ = program.add_subcommand("manifests", "Print the objects that run Berth in a Kubernetes cluster");
    std::vector<std::string> overlays;
    for (const Overlay& overlay : Overlays()) overlays.emplace_back(overlay.name);
    command_->add_option("--overlay", options_.overlay, "second-scheduler (default), shadow or replace")
        ->check(CLI::IsMember(overlays))
        ->type_name("OVERLAY");
    command_->add_option("--image", options_.image, "The image to run")->type_name("IMAGE");
    command_->add_option("--namespace", options_.name_space, "Where to run it; not for replace")
        ->type_name("NAMESPACE");
    command_->footer(
        "second-scheduler places the pods that ask for the scheduler berth-scheduler; shadow compares its decisions\n"
        "with kube-scheduler's and changes nothing; replace takes over when kube-scheduler ends.\n\n"
        "Examples:\n"
        "  berth manifests --image registry.example.com/berth:0.1.0 | kubectl apply -f -\n"
        "  berth manifests --overlay shadow --namespace trial");
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override { return RunManifests(options_, context.streams); }

 private:
  CLI::App* command_ = nullptr;
  ManifestsOptions options_;
};

}  // namespace

std::unique_ptr<Subcommand> ManifestsSubcommand() { return std::make_unique<Manifests>(); }

}  // namespace berth::cmd
