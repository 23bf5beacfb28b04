// SPDX-License-Identifier: Apache-2.0
#include "cmd/conformance_command.h"
#include "cmd/subcommands/shared_options.h"
#include "cmd/subcommands/subcommand.h"

#include <CLI/CLI.hpp>

namespace berth::cmd {
namespace {

class Conformance : public Subcommand {
 public:
  void AddTo(CLI::App& program, SharedFlags& /*shared*/) override {
    command_ = program.add_subcommand("conformance", "Compare decisions with golden cases of kube-scheduler");
    CLI::Option* files = command_->add_option("FILE", options_.files, "Golden case files")->type_name("");
    CLI::Option* only =
        command_->add_option("--case", options_.only_case, "Show one case side by side")->type_name("ID")->needs(files);
    CLI::Option* random = command_->add_flag(
        "--random", random_, "Instead of golden cases: random clusters that change, each pod judged in two ways");
    CLI::Option* twin =
        command_
            ->add_option(
                "--twin", twins_,
                "Have this plugin answer over the protocol of plugins in other processes; \"all\": every plugin")
            ->type_name("PLUGIN")
            ->allow_extra_args(false)
            ->needs(files);
    random->excludes(files)->excludes(only)->excludes(twin);
    AddRandomOptions(random);
    command_->callback([files, random] {
      if (files->count() == 0 && random->count() == 0) throw CLI::RequiredError("FILE or --random");
    });
    command_->footer(
        "Exit code 0: all decisions are equal, 3: some differ. With --random, decisions over a cluster changed in\n"
        "place are compared with naive ones over a cluster made afresh each time.\n\n"
        "Examples:\n"
        "  berth conformance cases.jsonl\n"
        "  berth conformance cases.jsonl --case spread-0003\n"
        "  berth conformance cases.jsonl --twin NodeResourcesFit --twin DefaultPreemption\n"
        "  berth conformance --random --seconds 60\n"
        "  berth conformance --random --seed 7 --journey 12 --write journey.jsonl");
  }

  bool IsGiven() const override { return command_->parsed(); }

  int Run(const CommandContext& context) override {
    return random_ ? RunRandomConformance(random_options_, context.registry, context.streams)
                   : RunConformance(options_, twins_, context.registry, context.streams);
  }

 private:
  void AddRandomOptions(CLI::Option* random) {
    command_->add_option("--seed", random_options_.seed, "Draws the journeys; default: 1")
        ->check(WholeNumber())
        ->type_name("N")
        ->needs(random);
    command_->add_option("--seconds", random_options_.seconds, "Stop after this time; default: 10")
        ->check(WholeNumber(1))
        ->type_name("N")
        ->needs(random);
    CLI::Option* journeys =
        command_->add_option("--journeys", random_options_.journeys, "Stop after this many journeys")
            ->check(WholeNumber(1))
            ->type_name("N")
            ->needs(random);
    CLI::Option* journey = command_->add_option("--journey", random_options_.journey, "Only the journey of this number")
                               ->check(WholeNumber())
                               ->type_name("K")
                               ->needs(random)
                               ->excludes(journeys);
    command_
        ->add_option("--write", random_options_.write_file, "Save that journey as a golden case to compare with later")
        ->type_name("FILE")
        ->needs(journey);
  }

  CLI::App* command_ = nullptr;
  conformance::RunOptions options_;
  std::vector<std::string> twins_;
  bool random_ = false;
  conformance::RandomOptions random_options_;
};

}  // namespace

std::unique_ptr<Subcommand> ConformanceSubcommand() { return std::make_unique<Conformance>(); }

}  // namespace berth::cmd
