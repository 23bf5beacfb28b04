// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "config/encode.h"
#include "config/go_duration.h"
#include "config/qualified_name.h"
#include "config/validate.h"

#include <set>

#include <fmt/format.h>

namespace berth::config {
namespace {

using features::Gate;

void Check(const DefaultPreemptionArgs& args, const std::string& path, Messages& messages) {
  const std::string percentage = Child(path, "minCandidateNodesPercentage");
  const std::string absolute = Child(path, "minCandidateNodesAbsolute");
  const int32_t least = args.min_candidate_nodes_percentage;
  if (least < 0 || least > 100) messages.push_back(Invalid(percentage, least, "not in valid range [0, 100]"));
  if (args.min_candidate_nodes_absolute < 0) {
    messages.push_back(Invalid(absolute, args.min_candidate_nodes_absolute, "not in valid range [0, inf)"));
  }
  if (least == 0 && args.min_candidate_nodes_absolute == 0) {
    messages.push_back(Invalid(percentage, 0, "cannot be zero at the same time as minCandidateNodesAbsolute"));
    messages.push_back(Invalid(absolute, 0, "cannot be zero at the same time as minCandidateNodesPercentage"));
  }
}

void Check(const InterPodAffinityArgs& args, const std::string& path, Messages& messages) {
  const int32_t weight = args.hard_pod_affinity_weight;
  if (weight < 0 || weight > 100) {
    messages.push_back(Invalid(Child(path, "hardPodAffinityWeight"), weight, "not in valid range [0, 100]"));
  }
}

void Check(const NodeResourcesBalancedAllocationArgs& args, const std::string& path, Messages& messages) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < args.resources.size(); ++i) {
    const std::string at = Index(Child(path, "resources"), i);
    const ResourceWeight& resource = args.resources[i];
    if (!seen.insert(resource.name).second) messages.push_back(Duplicate(Child(at, "name"), resource.name));
    if (resource.weight != 1) messages.push_back(Invalid(Child(at, "weight"), resource.weight, "must be 1"));
  }
}

// The word for whenUnsatisfiable as written: the decoded constraint knows only the two good ones.
std::string ActionText(const PluginConfig& config, size_t i) {
  const api::Value* list = config.source.Find("defaultConstraints");
  if (list == nullptr || i >= list->items().size()) return "";
  const api::Value* word = list->items()[i].Find("whenUnsatisfiable");
  return word == nullptr ? "" : word->text();
}

void CheckConstraint(const PodTopologySpreadArgs& args, const PluginConfig& config, size_t i, const std::string& list,
                     Messages& messages) {
  const api::TopologySpreadConstraint& constraint = args.default_constraints[i];
  const std::string at = Index(list, i);
  const std::string action = ActionText(config, i);
  if (constraint.max_skew <= 0) {
    messages.push_back(Invalid(Child(at, "maxSkew"), constraint.max_skew, "not in valid range (0, inf)"));
  }
  if (constraint.topology_key.empty()) {
    messages.push_back(Required(Child(at, "topologyKey"), "can not be empty"));
  } else {
    for (const std::string& problem : QualifiedNameProblems(constraint.topology_key)) {
      messages.push_back(Invalid(Child(at, "topologyKey"), constraint.topology_key, problem));
    }
  }
  if (action.empty()) {
    messages.push_back(Required(Child(at, "whenUnsatisfiable"), "can not be empty"));
  } else if (action != "DoNotSchedule" && action != "ScheduleAnyway") {
    messages.push_back(Unsupported(Child(at, "whenUnsatisfiable"), action, {"DoNotSchedule", "ScheduleAnyway"}));
  }
  if (constraint.label_selector) {
    messages.push_back(
        Forbidden(Child(at, "labelSelector"), "constraint must not define a selector, as they deduced for each pod"));
  }
  for (size_t j = 0; j < i; ++j) {
    if (args.default_constraints[j].topology_key == constraint.topology_key && ActionText(config, j) == action) {
      messages.push_back(Duplicate(at, fmt::format("{{{}, {}}}", constraint.topology_key, action)));
      break;
    }
  }
}

void Check(const PodTopologySpreadArgs& args, const PluginConfig& config, const std::string& path, Messages& messages) {
  const std::string type = Child(path, "defaultingType");
  if (args.defaulting_type != "System" && args.defaulting_type != "List") {
    messages.push_back(Unsupported(type, args.defaulting_type, {"System", "List"}));
  } else if (args.defaulting_type == "System" && !args.default_constraints.empty()) {
    messages.push_back(Invalid(type, args.defaulting_type, "when .defaultConstraints are not empty"));
  }
  for (size_t i = 0; i < args.default_constraints.size(); ++i) {
    CheckConstraint(args, config, i, Child(path, "defaultConstraints"), messages);
  }
}

void Check(const VolumeBindingArgs& args, const PluginConfig& config, const std::string& path,
           const features::FeatureGates& gates, Messages& messages) {
  if (args.bind_timeout_seconds < 0) {
    messages.push_back(Invalid(Child(path, "bindTimeoutSeconds"), args.bind_timeout_seconds,
                               "invalid BindTimeoutSeconds, should not be a negative value"));
  }
  if (gates.Enabled(Gate::StorageCapacityScoring)) {
    const Messages problems = ValidateShape(args.shape, Child(path, "shape"));
    messages.insert(messages.end(), problems.begin(), problems.end());
    return;
  }
  // Even an empty list says that somebody counts on the gate.
  const api::Value* shape = config.source.Find("shape");
  if (shape != nullptr && shape->is_list()) {
    messages.push_back(
        InvalidRaw(Child(path, "shape"), api::ToJson(*shape),
                   "unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring"));
  }
}

void Check(const DynamicResourcesArgs& args, const std::string& path, const features::FeatureGates& gates,
           Messages& messages) {
  if (args.filter_timeout && !gates.Enabled(Gate::DRASchedulerFilterTimeout)) {
    messages.push_back(Forbidden(Child(path, "filterTimeout"), "DRASchedulingFilterTimeout feature gate is disabled"));
  } else if (args.filter_timeout && *args.filter_timeout < Duration{}) {
    messages.push_back(
        Invalid(Child(path, "filterTimeout"), FormatGoDuration(*args.filter_timeout), "must be zero or positive"));
  }
  const bool may_wait =
      gates.Enabled(Gate::DRADeviceBindingConditions) && gates.Enabled(Gate::DRAResourceClaimDeviceStatus);
  if (args.binding_timeout && !may_wait) {
    messages.push_back(
        Forbidden(Child(path, "bindingTimeout"),
                  "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled"));
  } else if (args.binding_timeout && *args.binding_timeout < std::chrono::seconds(1)) {
    messages.push_back(
        Invalid(Child(path, "bindingTimeout"), FormatGoDuration(*args.binding_timeout), "must be at least 1 second"));
  }
}

}  // namespace

Messages ValidateArgs(const PluginConfig& config, const std::string& path, const features::FeatureGates& gates) {
  Messages messages;
  const framework::PluginArgs* args = config.args.get();
  if (const auto* preemption = dynamic_cast<const DefaultPreemptionArgs*>(args)) {
    Check(*preemption, path, messages);
  } else if (const auto* pods = dynamic_cast<const InterPodAffinityArgs*>(args)) {
    Check(*pods, path, messages);
  } else if (const auto* nodes = dynamic_cast<const NodeAffinityArgs*>(args)) {
    if (nodes->added_affinity) return ValidateAddedAffinity(*nodes->added_affinity, Child(path, "addedAffinity"));
  } else if (const auto* balanced = dynamic_cast<const NodeResourcesBalancedAllocationArgs*>(args)) {
    Check(*balanced, path, messages);
  } else if (const auto* spread = dynamic_cast<const PodTopologySpreadArgs*>(args)) {
    Check(*spread, config, path, messages);
  } else if (const auto* volumes = dynamic_cast<const VolumeBindingArgs*>(args)) {
    Check(*volumes, config, path, gates, messages);
  } else if (const auto* claims = dynamic_cast<const DynamicResourcesArgs*>(args)) {
    Check(*claims, path, gates, messages);
  }
  return messages;
}

}  // namespace berth::config
