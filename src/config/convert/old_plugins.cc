// SPDX-License-Identifier: Apache-2.0
#include "config/convert/old_plugins.h"

#include "config/convert/edit.h"

#include <array>

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::Value;

struct Gone {
  std::string_view plugin;
  std::string_view advice;
};
constexpr std::string_view kCsi = "was removed: NodeVolumeLimits counts the volumes of CSI drivers";
constexpr std::string_view kSpread = "was removed: PodTopologySpread's system defaults do its work";
constexpr std::array<Gone, 10> kGone = {{
    {"NodeLabel", "was removed in 1.23: use NodeAffinity"},
    {"ServiceAffinity", "was removed in 1.23: use InterPodAffinity"},
    {"NodePreferAvoidPods", "was removed: use node taints"},
    {"NodeResourceLimits", "was removed in 1.20"},
    {"SelectorSpread", kSpread},
    {"DefaultPodTopologySpread", kSpread},
    {"AzureDiskLimits", kCsi},
    {"CinderLimits", kCsi},
    {"EBSLimits", kCsi},
    {"GCEPDLimits", kCsi},
}};

bool MoveNodeLabel(ProfileEditor& profile, const Value& args) {
  const Value* present = args.Find("presentLabels");
  const Value* absent = args.Find("absentLabels");
  bool moved = true;
  if (present != nullptr) moved = AddLabelConditions(profile, *present, true) && moved;
  if (absent != nullptr) moved = AddLabelConditions(profile, *absent, false) && moved;
  return moved && (present != nullptr || absent != nullptr);
}

}  // namespace

bool AddLabelConditions(ProfileEditor& profile, const Value& labels, bool present) {
  if (!labels.is_list()) return false;
  if (labels.items().empty()) return true;
  Value* args = profile.Args("NodeAffinity");
  Value* affinity = args == nullptr ? nullptr : MapIn(*args, "addedAffinity");
  Value* required = affinity == nullptr ? nullptr : MapIn(*affinity, "requiredDuringSchedulingIgnoredDuringExecution");
  Value* terms = required == nullptr ? nullptr : ListIn(*required, "nodeSelectorTerms");
  if (terms == nullptr) return false;
  if (terms->items().empty()) terms->Append(Value::Map());
  // Terms are ORed: a condition that must always hold goes into each of them.
  for (Value& term : terms->mutable_items()) {
    Value* expressions = ListIn(term, "matchExpressions");
    if (expressions == nullptr) return false;
    for (const Value& label : labels.items()) {
      Value expression = Value::Map();
      expression.Set("key", label);
      expression.Set("operator", Value::String(present ? "Exists" : "DoesNotExist"));
      expressions->Append(std::move(expression));
    }
  }
  return true;
}

void UpdatePluginNames(ProfileEditor& profile, std::vector<std::string>& notes) {
  profile.RenameEverywhere("EvenPodsSpread", "PodTopologySpread");
  for (const Gone& gone : kGone) {
    bool used = false;
    bool filtered = false;
    for (const std::string& point : profile.Points()) {
      const bool enabled = profile.Remove(point, "enabled", gone.plugin);
      used = used || enabled;
      filtered = filtered || (enabled && point == "filter");
      profile.Remove(point, "disabled", gone.plugin);
    }
    const std::optional<Value> args = profile.TakeArgs(gone.plugin);
    if (!used && !args) continue;
    const bool moved = gone.plugin == "NodeLabel" && filtered && args && MoveNodeLabel(profile, *args);
    notes.push_back(fmt::format("{} {}{}", gone.plugin, gone.advice,
                                moved ? "; its conditions on nodes are NodeAffinity's addedAffinity now" : ""));
  }
}

}  // namespace berth::config
