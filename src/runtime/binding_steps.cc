// SPDX-License-Identifier: Apache-2.0
// Reserve to PostBind: from a chosen node to a bound pod.
#include "runtime/profile.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::runtime {

using framework::Code;
using framework::ExtensionPoint;
using framework::PermitResult;
using framework::PodInfo;
using framework::PreFlightResult;
using framework::Status;

namespace {

constexpr Duration kMaxPermitWait = std::chrono::minutes(15);

// A rejection stays one, by the plugin that gave it; anything else becomes an error that names the step.
Status Failure(std::string_view step, const std::string& plugin, const Status& status) {
  if (status.is_rejected()) return status.By(plugin);
  return Status::FromError(fmt::format("running {} plugin \"{}\": {}", step, plugin, status.Message())).By(plugin);
}

}  // namespace

Status Profile::RunReserve(Cycle& cycle, const PodInfo& pod, std::string_view node) const {
  for (const uint32_t index : At(ExtensionPoint::Reserve)) {
    Status status = plugins_[index].instance.reserve->Reserve(cycle.state, pod, node);
    if (!status.ok()) return Failure("Reserve", plugins_[index].name, status);
  }
  return Status::Success();
}

void Profile::RunUnreserve(Cycle& cycle, const PodInfo& pod, std::string_view node) const {
  const auto& plugins = At(ExtensionPoint::Reserve);
  for (auto it = plugins.rbegin(); it != plugins.rend(); ++it) {
    plugins_[*it].instance.reserve->Unreserve(cycle.state, pod, node);
  }
}

Status Profile::RunPermit(Cycle& cycle, const PodInfo& pod, std::string_view node,
                          std::map<std::string, Duration>& waits) const {
  waits.clear();
  for (const uint32_t index : At(ExtensionPoint::Permit)) {
    PermitResult result = plugins_[index].instance.permit->Permit(cycle.state, pod, node);
    if (result.status.ok()) continue;
    if (result.status.code() == Code::Wait) {
      waits[plugins_[index].name] = std::min(result.timeout, kMaxPermitWait);
      continue;
    }
    return Failure("Permit", plugins_[index].name, result.status);
  }
  if (waits.empty()) return Status::Success();
  return {Code::Wait,
          {fmt::format("one or more plugins asked to wait and no plugin rejected pod \"{}\"", pod->meta.name)}};
}

Status Profile::RunPreBindPreFlight(Cycle& cycle, const PodInfo& pod, std::string_view node) const {
  cycle.skipped_pre_binds.assign(plugins_.size(), false);
  bool has_work = false;
  for (const uint32_t index : At(ExtensionPoint::PreBind)) {
    const PreFlightResult result = plugins_[index].instance.pre_bind->PreBindPreFlight(cycle.state, pod, node);
    if (result.status.is_skip()) {
      cycle.skipped_pre_binds[index] = true;
    } else if (result.status.ok()) {
      has_work = true;
    } else if (result.status.code() == Code::Error) {
      return Status::FromError(
                 fmt::format("running PreBindPreFlight \"{}\": {}", plugins_[index].name, result.status.Message()))
          .By(plugins_[index].name);
    } else {
      return Status::FromError(fmt::format("PreBindPreFlight {} returned \"{}\", which is unsupported. It is supposed "
                                           "to return Success, Skip, or Error status",
                                           plugins_[index].name, CodeName(result.status.code())))
          .By(plugins_[index].name);
    }
  }
  return has_work ? Status::Success() : Status::Skip();
}

Status Profile::RunPreBind(Cycle& cycle, const PodInfo& pod, std::string_view node) const {
  for (const uint32_t index : At(ExtensionPoint::PreBind)) {
    if (!cycle.skipped_pre_binds.empty() && cycle.skipped_pre_binds[index]) continue;
    Status status = plugins_[index].instance.pre_bind->PreBind(cycle.state, pod, node);
    if (!status.ok()) return Failure("PreBind", plugins_[index].name, status);
  }
  return Status::Success();
}

Status Profile::RunBind(Cycle& cycle, const PodInfo& pod, std::string_view node) const {
  for (const uint32_t index : At(ExtensionPoint::Bind)) {
    Status status = plugins_[index].instance.bind->Bind(cycle.state, pod, node);
    if (status.is_skip()) continue;
    if (!status.ok()) return Failure("Bind", plugins_[index].name, status);
    return status;
  }
  return Status::Skip();
}

void Profile::RunPostBind(Cycle& cycle, const PodInfo& pod, std::string_view node) const {
  for (const uint32_t index : At(ExtensionPoint::PostBind)) {
    plugins_[index].instance.post_bind->PostBind(cycle.state, pod, node);
  }
}

}  // namespace berth::runtime
