// SPDX-License-Identifier: Apache-2.0
#include "remote/launched_programs.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::remote {

Result<std::shared_ptr<LaunchedProgram>> LaunchedPrograms::Launch(const ProgramOptions& options) {
  const MutexLock lock(mutex_);
  std::weak_ptr<LaunchedProgram>& place = by_plugin_[options.plugin];
  if (auto running = place.lock()) {
    const ProgramOptions& own = running->options();
    if (own.command == options.command && own.limits == options.limits) return running;
    return InvalidError(fmt::format("the plugin {} is launched by '{}' already, in another way than by '{}'",
                                    options.plugin, fmt::join(own.command, " "), fmt::join(options.command, " ")));
  }
  BERTH_ASSIGN_OR_RETURN(auto launched, LaunchedProgram::Launch(options, log_));
  std::shared_ptr<LaunchedProgram> shared = std::move(launched);
  place = shared;
  return shared;
}

}  // namespace berth::remote
