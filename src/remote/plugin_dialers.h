// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "log/logger.h"
#include "remote/channel.h"
#include "remote/launched_programs.h"
#include "remote/remote_plugin_args.h"

#include <memory>
#include <string>
#include <utility>

namespace berth::remote {

// Reaches plugins as their arguments say: at an endpoint, or by launching their programs. Any thread.
class PluginDialers {
 public:
  explicit PluginDialers(const log::Logger& log = {}) : programs_(log) {}

  // A program that was launched ends with the last of its dialers and channels. The error says what cannot be used.
  Result<std::unique_ptr<Dialer>> Make(const std::string& plugin, const RemotePluginArgs& args);

 private:
  LaunchedPrograms programs_;
};

}  // namespace berth::remote
