// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/plugin_check.h"

#include "base/check.h"

#include <utility>

namespace berth::plugin_check {

using framework::ExtensionPoint;

namespace {

CheckedPlugin Checked(const runtime::Profile& profile, const std::string& name) {
  const runtime::ProfilePlugins& plugins = profile.plugins();
  const framework::PluginInstance* instance = plugins.Find(name);
  BERTH_CHECK(instance != nullptr);
  return {name,
          *instance,
          plugins.HasAnyAt(ExtensionPoint::PreFilter),
          plugins.HasAnyAt(ExtensionPoint::Filter),
          plugins.HasAnyAt(ExtensionPoint::PreScore),
          plugins.HasAnyAt(ExtensionPoint::Score)};
}

}  // namespace

PluginCheck::PluginCheck(const runtime::Profile& profile, const std::string& plugin, cluster::ClusterState& cluster,
                         uint64_t seed)
    : report_{.plugin = plugin, .profile = std::string(profile.profile_name())},
      plugin_(Checked(profile, report_.plugin)),
      dice_(seed),
      filter_(plugin_, cluster, dice_, report_),
      score_(plugin_, cluster, report_),
      hypothetical_(plugin_, cluster, dice_, report_) {}

void PluginCheck::Ask(const framework::PodInfo& pod) {
  PodAnswer answer{.pod = pod->meta.Key()};
  const Bitset feasible = filter_.Check(pod, answer);
  score_.Check(pod, feasible, answer);
  hypothetical_.Check(pod);
  report_.pods.push_back(std::move(answer));
}

}  // namespace berth::plugin_check
