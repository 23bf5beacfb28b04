// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace berth::kube {

struct ProcessRequest {
  std::string program = {};                 // a path; no shell reads it
  std::vector<std::string> arguments = {};  // without the program's own name
  std::vector<std::string> environment = {};
  // Nothing: as long as it takes.
  std::optional<Duration> time_limit = {};
  size_t max_output_bytes = size_t{1} << 20U;
  // It has our standard input and standard error, to talk with the user. Otherwise standard input is empty.
  bool interactive = false;
  // When this becomes true the program is killed; null: it never does. Outlives the run.
  const std::atomic<bool>* stop = nullptr;
};

struct ProcessOutcome {
  enum class End { Exited, Signalled, TimedOut, OutputTooLarge, Stopped };
  End end = End::Exited;
  int code = 0;             // exit code, or the signal
  std::string output = {};  // what it wrote to standard output
  std::string errors = {};  // the last that it wrote to standard error; empty when interactive
};

// Runs a program to its end. One that takes too long, writes too much or is to stop is killed, with what it started.
// The error is about a program that cannot be started: NotFound when there is none. Blocks; any thread.
Result<ProcessOutcome> RunProcess(const ProcessRequest& request);

}  // namespace berth::kube
