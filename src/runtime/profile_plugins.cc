// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile_plugins.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::runtime {

using framework::Code;
using framework::CycleState;
using framework::ExtensionPoint;
using framework::PluginInstance;

Result<void> ProfilePlugins::Build(const framework::Registry& registry, framework::Handle& handle) {
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    for (const config::PlannedPlugin& planned : plan_.at(point)) {
      BERTH_ASSIGN_OR_RETURN(const uint32_t index, BuildOnce(planned.name, point, registry, handle));
      points_[static_cast<size_t>(point)].push_back(index);
      if (point == ExtensionPoint::Score) score_weights_.push_back(planned.weight);
    }
  }
  FindEvaluationCounters();
  return {};
}

Result<uint32_t> ProfilePlugins::BuildOnce(const std::string& name, ExtensionPoint point,
                                           const framework::Registry& registry, framework::Handle& handle) {
  const auto index = static_cast<uint32_t>(IndexOf(name));
  if (index < size()) return index;
  const framework::PluginEntry* entry = registry.Find(name);
  if (entry == nullptr) {
    return NotFoundError(fmt::format("{}Plugin \"{}\" does not exist", PointName(point), name));
  }
  const auto args = plan_.args.find(name);
  Result<PluginInstance> instance = entry->make(args == plan_.args.end() ? nullptr : args->second.get(), handle);
  if (!instance) {
    return InvalidError(fmt::format("initializing plugin \"{}\": {}", name, instance.error().message));
  }
  plugins_.push_back({name, std::move(*instance)});
  return index;
}

void ProfilePlugins::FindEvaluationCounters() {
  if (services_.metrics == nullptr) return;
  for (const ExtensionPoint point :
       {ExtensionPoint::PreFilter, ExtensionPoint::Filter, ExtensionPoint::PreScore, ExtensionPoint::Score}) {
    for (const uint32_t index : At(point)) {
      plugins_[index].evaluations[static_cast<size_t>(point)] =
          &services_.metrics->PluginEvaluations(plugins_[index].name, PointName(point), plan_.scheduler_name);
    }
  }
}

std::vector<std::string_view> ProfilePlugins::NamesAt(ExtensionPoint point) const {
  std::vector<std::string_view> names;
  for (const uint32_t index : At(point)) names.emplace_back(plugins_[index].name);
  return names;
}

size_t ProfilePlugins::IndexOf(std::string_view name) const {
  const auto it =
      std::find_if(plugins_.begin(), plugins_.end(), [&](const ProfilePlugin& plugin) { return plugin.name == name; });
  return static_cast<size_t>(it - plugins_.begin());
}

const PluginInstance* ProfilePlugins::Find(std::string_view name) const {
  const size_t index = IndexOf(name);
  return index == plugins_.size() ? nullptr : &plugins_[index].instance;
}

PluginMeter ProfilePlugins::MeterFor(const Cycle& cycle, std::string_view point) const {
  return {cycle.timed() ? services_.metrics : nullptr, point};
}

PluginMeter ProfilePlugins::MeterFor(const CycleState& state, std::string_view point) const {
  const bool timed = services_.metrics != nullptr && state.Read(kTimedCycle) != nullptr;
  return {timed ? services_.metrics : nullptr, point};
}

void ProfilePlugins::NoteStep(std::string_view point, Code code, Duration took) const {
  if (services_.metrics == nullptr) return;
  services_.metrics->ExtensionPoint(point, CodeName(code), plan_.scheduler_name, took);
}

}  // namespace berth::runtime
