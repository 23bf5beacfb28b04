// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "base/thread_annotations.h"
#include "log/logger.h"
#include "remote/launched_program.h"

#include <map>
#include <memory>
#include <string>

namespace berth::remote {

// The programs of this scheduler by plugin: profiles that use the same plugin share its process. Any thread.
class LaunchedPrograms {
 public:
  explicit LaunchedPrograms(log::Logger log = {}) : log_(std::move(log)) {}

  // Runs until whoever has it lets go of it. The error: it runs already, by another command or with other limits.
  Result<std::shared_ptr<LaunchedProgram>> Launch(const ProgramOptions& options) BERTH_EXCLUDES(mutex_);

 private:
  const log::Logger log_;
  Mutex mutex_;
  std::map<std::string, std::weak_ptr<LaunchedProgram>> by_plugin_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::remote
