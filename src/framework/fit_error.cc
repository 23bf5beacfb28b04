// SPDX-License-Identifier: Apache-2.0
#include "framework/fit_error.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::framework {
ReasonCounts CountReasons(const Verdicts& verdicts) {
  ReasonCounts reasons;
  const std::vector<size_t>& counts = verdicts.Counts();
  for (size_t id = 1; id < counts.size(); ++id) {
    if (counts[id] == 0) continue;
    for (const std::string& reason : verdicts.table()[id].reasons()) reasons[reason] += counts[id];
  }
  return reasons;
}

std::string NoNodesAvailable(size_t node_count, const ReasonCounts& reasons) {
  std::vector<std::string> parts;
  parts.reserve(reasons.size());
  for (const auto& [reason, count] : reasons) parts.push_back(fmt::format("{} {}", count, reason));
  std::sort(parts.begin(), parts.end());
  std::string message = fmt::format("0/{} nodes are available:", node_count);
  if (!parts.empty()) message += fmt::format(" {}.", fmt::join(parts, ", "));
  return message;
}

std::string NoNodesAvailable(size_t node_count, std::string_view pre_filter_message) {
  return fmt::format("0/{} nodes are available: {}.", node_count, pre_filter_message);
}

namespace {

std::vector<std::string> PluginsWhere(const Verdicts& verdicts, bool (*wanted)(const Status&)) {
  std::set<std::string> plugins;
  const std::vector<size_t>& counts = verdicts.Counts();
  for (size_t id = 1; id < counts.size(); ++id) {
    const Status& status = verdicts.table()[id];
    if (counts[id] != 0 && !status.plugin().empty() && wanted(status)) plugins.emplace(status.plugin());
  }
  return {plugins.begin(), plugins.end()};
}

}  // namespace

std::vector<std::string> RejectingPlugins(const Verdicts& verdicts) {
  return PluginsWhere(verdicts, [](const Status&) { return true; });
}

std::vector<std::string> PendingPlugins(const Verdicts& verdicts) {
  return PluginsWhere(verdicts, [](const Status& status) { return status.code() == Code::Pending; });
}

}  // namespace berth::framework
