// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "log/logger.h"
#include "remote/child_process.h"
#include "remote/program_output.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace berth::remote {

struct ProgramOptions {
  std::string plugin = {};  // its name, for the log
  std::vector<std::string> command = {};
  ProcessLimits limits = {};
  ProgramOutputLimits output = {};
  // How long it stays down before it is started again: doubled each time, until it has run for long enough.
  Duration first_pause = std::chrono::milliseconds(100);
  Duration longest_pause = std::chrono::seconds(30);
  Duration healthy_after = std::chrono::minutes(1);
  // Between being asked to end and being killed.
  Duration grace = std::chrono::seconds(5);
};

// A plugin's program, kept running until this is destroyed. It finds in BERTH_PLUGIN_ENDPOINT where to listen: a unix
// socket in a folder that only this user may enter. What it writes goes to the log. Any thread.
class LaunchedProgram {
 public:
  // Starts it later, on a thread of its own. The error: there is no place for the socket.
  static Result<std::unique_ptr<LaunchedProgram>> Launch(ProgramOptions options, log::Logger log = {});
  // Ends it, and what it has started, and waits for that.
  ~LaunchedProgram();
  LaunchedProgram(const LaunchedProgram&) = delete;
  LaunchedProgram& operator=(const LaunchedProgram&) = delete;

  const ProgramOptions& options() const { return options_; }
  // Does not change when it is started again.
  const std::string& endpoint() const { return endpoint_; }
  // Why it does not run; empty when it does, or is about to.
  std::string problem() const BERTH_EXCLUDES(mutex_);
  // 0: it does not run.
  pid_t pid() const BERTH_EXCLUDES(mutex_);
  uint64_t starts() const BERTH_EXCLUDES(mutex_);

 private:
  LaunchedProgram(ProgramOptions options, log::Logger log, std::string folder, OwnedDescriptor stop);
  void Supervise() BERTH_EXCLUDES(mutex_);
  Result<ChildProcess> Start() BERTH_EXCLUDES(mutex_);
  void WatchUntilEnd(ChildProcess& child) BERTH_EXCLUDES(mutex_);
  void EndInOrder(ChildProcess& child, ProgramOutput& output);
  void Note(const std::string& problem, pid_t pid) BERTH_EXCLUDES(mutex_);

  const ProgramOptions options_;
  const log::Logger log_;
  const std::string folder_;
  const std::string socket_path_;
  const std::string endpoint_;
  const OwnedDescriptor stop_;  // readable: the program is to end
  mutable Mutex mutex_;
  std::string problem_ BERTH_GUARDED_BY(mutex_);
  pid_t pid_ BERTH_GUARDED_BY(mutex_) = 0;
  uint64_t starts_ BERTH_GUARDED_BY(mutex_) = 0;
  std::thread thread_;  // last: it uses the rest; the program ends with it
};

}  // namespace berth::remote
