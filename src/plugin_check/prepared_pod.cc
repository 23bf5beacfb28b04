// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/prepared_pod.h"

#include <utility>

#include <fmt/format.h>

namespace berth::plugin_check {

using framework::PodInfo;
using framework::PreFilterResult;
using framework::Status;

PreparedPod Prepare(const CheckedPlugin& plugin, const PodInfo& pod, cluster::ClusterState& cluster) {
  cluster.BeginCycle();
  PreparedPod prepared;
  if (!plugin.at_pre_filter) return prepared;
  PreFilterResult result = plugin.instance.pre_filter->PreFilter(prepared.state, pod, cluster);
  prepared.status = std::move(result.status);
  prepared.node_names = std::move(result.node_names);
  return prepared;
}

std::string StatusText(const Status& status) {
  const std::string message = status.Message();
  return message.empty() ? std::string(CodeName(status.code()))
                         : fmt::format("{}: {}", CodeName(status.code()), message);
}

bool SayTheSame(const Status& a, const Status& b) { return a.code() == b.code() && a.reasons() == b.reasons(); }

}  // namespace berth::plugin_check
