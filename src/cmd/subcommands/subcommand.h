// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/streams.h"
#include "features/feature_gates.h"
#include "framework/registry.h"
#include "log/logger.h"

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace berth::cmd {

struct SharedFlags;

// What the program gives the command that it runs.
struct CommandContext {
  const framework::Registry& registry;
  const Streams& streams;
  bool colour;
  log::Logger log;
  features::FeatureGates gates;
};

// A command of the program, as a command line gives it: its options and their meaning in combination. What it does is a
// function with these options as a struct (simulate_command.h and its siblings), which tests call.
class Subcommand {
 public:
  virtual ~Subcommand() = default;

  // Declares the command and its options. Those that several commands have go to `shared`.
  virtual void AddTo(CLI::App& program, SharedFlags& shared) = 0;

  // Whether the command line that was parsed gives this command.
  virtual bool IsGiven() const = 0;

  // What is wrong with the options in combination; empty when nothing is.
  virtual std::string Missing() const { return ""; }

  // Returns the exit code.
  virtual int Run(const CommandContext& context) = 0;
};

std::unique_ptr<Subcommand> SimulateSubcommand();
std::unique_ptr<Subcommand> ReplaySubcommand();
std::unique_ptr<Subcommand> ExplainSubcommand();
std::unique_ptr<Subcommand> QueueSubcommand();
std::unique_ptr<Subcommand> ConfigSubcommand();
std::unique_ptr<Subcommand> ConformanceSubcommand();
std::unique_ptr<Subcommand> DemoSubcommand();
std::unique_ptr<Subcommand> ManifestsSubcommand();
std::unique_ptr<Subcommand> PluginSubcommand();

}  // namespace berth::cmd
