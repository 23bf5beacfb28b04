// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cmd/ask_scheduler.h"
#include "cmd/load_cluster.h"
#include "cmd/log_options.h"
#include "features/feature_gates.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace berth::cmd {

// Flags that mean the same for every command that has them.
struct SharedFlags {
  std::string colour = "auto";  // always, never
  features::GateFlags gates;
  LogFlags log;
};
void AddColour(CLI::App* command, SharedFlags& flags);
void AddGates(CLI::App* command, SharedFlags& flags);
void AddLogging(CLI::App* command, SharedFlags& flags);

// The cluster to work on, the scheduler to ask, and how to print the answer: the first of `formats` by default.
void AddCluster(CLI::App* command, ClusterOptions& options);
void AddScheduler(CLI::App* command, SchedulerAddress& address);
void AddOutput(CLI::App* command, std::string& output, const std::vector<std::string>& formats);

// A check for numbers: rejects what CLI11's conversion would accept, which are signs, fractions, numbers that overflow.
std::function<std::string(const std::string&)> WholeNumber(uint64_t least = 0);

// Whether at most one of the options names standard input; says so otherwise.
bool InputIsReadOnce(const ClusterOptions& options, const std::string& other, const Streams& streams);

}  // namespace berth::cmd
