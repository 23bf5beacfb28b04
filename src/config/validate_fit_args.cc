// SPDX-License-Identifier: Apache-2.0
#include "config/qualified_name.h"
#include "config/validate.h"

#include <fmt/format.h>

namespace berth::config {
namespace {

constexpr std::string_view kRatio = "scoringStrategy.requestedToCapacityRatio";

void CheckName(const std::string& path, const std::string& name, Messages& messages) {
  for (const std::string& problem : QualifiedNameProblems(name)) messages.push_back(Invalid(path, name, problem));
}

void CheckStrategy(const ScoringStrategy& strategy, Messages& messages) {
  const bool is_ratio = strategy.type == "RequestedToCapacityRatio";
  if (!is_ratio && strategy.type != "LeastAllocated" && strategy.type != "MostAllocated") {
    messages.push_back(Unsupported("scoringStrategy.type", strategy.type,
                                   {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}));
  }
  for (size_t i = 0; i < strategy.resources.size(); ++i) {
    const ResourceWeight& resource = strategy.resources[i];
    if (resource.weight > 0 && resource.weight <= 100) continue;
    messages.push_back(Invalid(Child(Index("scoringStrategy.resources", i), "weight"), resource.weight,
                               fmt::format("resource weight of {} not in valid range (0, 100]", resource.name)));
  }
  if (!is_ratio) {
    if (strategy.shape) messages.push_back(Forbidden(kRatio, "must be nil when type is not RequestedToCapacityRatio"));
  } else if (!strategy.shape) {
    messages.push_back(Required(kRatio, "must be specified when type is RequestedToCapacityRatio"));
  } else {
    const Messages problems = ValidateShape(*strategy.shape, Child(kRatio, "shape"));
    messages.insert(messages.end(), problems.begin(), problems.end());
  }
}

}  // namespace

Messages ValidateShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path) {
  Messages messages;
  if (shape.empty()) messages.push_back(Required(path, "at least one point must be specified"));
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    messages.push_back(Invalid(Child(Index(path, i), "utilization"), shape[i].utilization,
                               "values must be sorted in increasing order"));
    break;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const UtilizationShapePoint& point = shape[i];
    if (point.utilization < 0 || point.utilization > 100) {
      messages.push_back(
          Invalid(Child(Index(path, i), "utilization"), point.utilization, "not in valid range [0, 100]"));
    }
    if (point.score < 0 || point.score > 10) {
      messages.push_back(Invalid(Child(Index(path, i), "score"), point.score, "not in valid range [0, 10]"));
    }
  }
  return messages;
}

Messages ValidateFitArgs(const NodeResourcesFitArgs& args) {
  Messages messages;
  for (size_t i = 0; i < args.ignored_resources.size(); ++i) {
    CheckName(Index("ignoredResources", i), args.ignored_resources[i], messages);
  }
  for (size_t i = 0; i < args.ignored_resource_groups.size(); ++i) {
    const std::string& group = args.ignored_resource_groups[i];
    const std::string path = Index("ignoredResourceGroups", i);
    if (group.find('/') != std::string::npos) {
      messages.push_back(Invalid(path, group, "resource group name can't contain '/'"));
    }
    CheckName(path, group, messages);
  }
  CheckStrategy(args.scoring_strategy, messages);
  return messages;
}

}  // namespace berth::config
