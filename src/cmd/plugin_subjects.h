// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "cmd/plugin_test_command.h"
#include "config/profile_plan.h"
#include "framework/pod_info.h"
#include "framework/registry.h"
#include "plugin_check/check_cluster.h"

#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::cmd {

// A plugin to ask, with a plan that has it alone.
struct PluginSubject {
  std::string name;
  config::ProfilePlan plan;
};

// Which plugins to ask, and about what.
struct PluginSubjects {
  std::vector<PluginSubject> plugins;
  std::unique_ptr<plugin_check::CheckCluster> cluster;
};

// By the options. Warnings go to `err`, and so does the reason when there is nothing. The clock outlives the cluster.
std::optional<PluginSubjects> LoadPluginSubjects(const PluginTestOptions& options, const framework::Registry& registry,
                                                 const Clock& clock, std::ostream& err);

}  // namespace berth::cmd
