// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "cmd/kube_flags.h"
#include "cmd/kube_validate.h"
#include "cmd/streams.h"
#include "config/load.h"
#include "framework/registry.h"
#include "log/logger.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cmd {

// Flags that kube-scheduler does not have.
struct OwnFlags {
  bool shadow = false;                 // --shadow: decide and compare, write nothing
  bool strict_extender_order = false;  // --strict-extender-order: as EngineOptions has it
};

// All that a scheduler process needs to know when it starts. Borrows what it does not hold.
struct KubeStart {
  const KubeFlags& flags;
  OwnFlags own;
  config::PlannedConfiguration configuration;  // flags applied, valid; its features are those the flags set
  ServingTls tls;
  std::string version;  // the one to report
  log::Logger log;
  std::function<void(int)> set_verbosity;  // of the log
  const Clock& clock;
  const framework::Registry& registry;
  const Streams& streams;
};

// Runs a scheduler process until it is told to end, or must. Returns the exit code.
using KubeRunner = std::function<int(KubeStart)>;

// kube-scheduler with these arguments, which do not include the program's name: parses them, answers --help, --version
// and --write-config-to, and otherwise has `runner` run the process. Messages and exit codes are kube-scheduler's.
// `called_as` is how a user calls it: "kube-scheduler", "berth kube".
int RunKube(const std::vector<std::string>& arguments, const framework::Registry& registry, const Streams& streams,
            std::string_view called_as, const KubeRunner& runner);

}  // namespace berth::cmd
