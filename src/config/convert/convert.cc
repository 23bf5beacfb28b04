// SPDX-License-Identifier: Apache-2.0
#include "config/convert/convert.h"

#include "config/convert/edit.h"
#include "config/convert/era.h"
#include "config/convert/old_plugins.h"
#include "config/convert/policy.h"
#include "config/convert/profile_editor.h"
#include "config/convert/scoring.h"
#include "config/convert/top_level.h"
#include "config/known_plugins.h"

namespace berth::config {
namespace {

using api::Value;

// Until v1beta1, custom default constraints took effect by themselves; now defaultingType must be List.
void TypeSpreadDefaults(ProfileEditor& profile) {
  Value* args = profile.FindArgs("PodTopologySpread");
  const Value* constraints = args == nullptr ? nullptr : args->Find("defaultConstraints");
  if (constraints == nullptr || constraints->items().empty() || args->Find("defaultingType") != nullptr) return;
  args->Set("defaultingType", Value::String("List"));
}

// Changes the arguments' apiVersion to v1; their fields are the same.
void UpdateArgsVersions(Value& profile) {
  Value* configs = FindIn(profile, "pluginConfig");
  if (configs == nullptr || !configs->is_list()) return;
  for (Value& entry : configs->mutable_items()) {
    Value* args = FindIn(entry, "args");
    if (args != nullptr && EraOf(TextIn(*args, "apiVersion"))) {
      args->Set("apiVersion", Value::String(std::string(kApiVersion)));
    }
  }
}

void UpdateProfile(Value& map, Era era, std::string_view default_scorer, std::vector<std::string>& notes) {
  ProfileEditor profile(map);
  if (era == Era::V1Alpha1) profile.RenamePoint("postFilter", "preScore");
  if (era <= Era::V1Alpha2) {
    if (profile.HasDisabled("unreserve")) {
      notes.emplace_back("plugins.unreserve.disabled was dropped: reserve and unreserve are one point now");
    }
    profile.MergePoint("unreserve", "reserve");
  }
  UpdatePluginNames(profile, notes);
  if (era <= Era::V1Beta1) {
    if (!default_scorer.empty()) FoldResourceScorers(profile, default_scorer, notes);
    TypeSpreadDefaults(profile);
  }
  if (era <= Era::V1Beta2) KeepOldWeights(profile);
  UpdateArgsVersions(map);
}

// Adds a profile to hold the older defaults if the file has none.
void EnsureProfile(Value& root) {
  Value* profiles = ListIn(root, "profiles");
  if (profiles != nullptr && profiles->items().empty()) profiles->Append(Value::Map());
}

Converted ConvertConfiguration(const Value& old, Era era, api::DecodeErrors& errors) {
  Converted converted{old, {}};
  Value& root = converted.document;
  root.Set("apiVersion", Value::String(std::string(kApiVersion)));
  std::string default_scorer = "NodeResourcesLeastAllocated";
  if (era == Era::V1Alpha1) default_scorer = GatherProfile(root, converted.notes, errors);
  if (era <= Era::V1Beta2) {
    EnsureProfile(root);
    UpdateTopLevel(root, converted.notes);
  }
  Value* profiles = FindIn(root, "profiles");
  if (profiles == nullptr || !profiles->is_list()) return converted;
  for (Value& profile : profiles->mutable_items()) {
    if (profile.is_map()) UpdateProfile(profile, era, default_scorer, converted.notes);
  }
  return converted;
}

}  // namespace

std::optional<Era> EraOf(std::string_view api_version) {
  if (!api_version.starts_with(kGroup)) return std::nullopt;
  const std::string_view version = api_version.substr(kGroup.size());
  if (version == "/v1alpha1") return Era::V1Alpha1;
  if (version == "/v1alpha2") return Era::V1Alpha2;
  if (version == "/v1beta1") return Era::V1Beta1;
  if (version == "/v1beta2") return Era::V1Beta2;
  if (version == "/v1beta3") return Era::V1Beta3;
  return std::nullopt;
}

bool IsOlderVersion(std::string_view api_version, std::string_view kind) {
  if (kind == "Policy") return api_version == "v1";
  return kind == kKind && EraOf(api_version);
}

Converted ConvertToV1(const Value& root, api::DecodeErrors& errors) {
  const std::optional<Era> era = EraOf(TextIn(root, "apiVersion"));
  if (TextIn(root, "kind") == "Policy" || !era) return ConvertPolicy(root, errors);
  return ConvertConfiguration(root, *era, errors);
}

}  // namespace berth::config
