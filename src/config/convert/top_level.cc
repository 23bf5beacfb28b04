// SPDX-License-Identifier: Apache-2.0
#include "config/convert/top_level.h"

#include "config/convert/edit.h"
#include "config/convert/policy.h"
#include "config/convert/profile_editor.h"

#include <fmt/format.h>

namespace berth::config {
namespace {

using api::Value;

void Rename(Value& map, std::string_view from, std::string_view to) {
  Value value = Take(map, from);
  if (!value.is_null()) map.Set(to, std::move(value));
}

void UpdateLeaderElection(Value& root, std::vector<std::string>& notes) {
  Value* election = FindIn(root, "leaderElection");
  if (election == nullptr || !election->is_map()) return;
  Rename(*election, "lockObjectNamespace", "resourceNamespace");
  Rename(*election, "lockObjectName", "resourceName");
  Value* lock = FindIn(*election, "resourceLock");
  if (lock == nullptr || !lock->is_string() || lock->text().empty() || lock->text() == "leases") return;
  notes.push_back(
      fmt::format("leaderElection.resourceLock \"{}\" became \"leases\", the only kind left: do not run old "
                  "and new schedulers side by side",
                  lock->text()));
  *lock = Value::String("leases", lock->position());
}

void DropAddress(Value& root, std::string_view key, std::vector<std::string>& notes) {
  const Value address = Take(root, key);
  if (!Shown(address).empty()) {
    notes.push_back(
        fmt::format("{} \"{}\" was dropped: one secure port serves health and metrics now", key, Shown(address)));
  }
}

void ForEachProfile(Value& root, auto&& change) {
  Value* profiles = FindIn(root, "profiles");
  if (profiles == nullptr || !profiles->is_list()) return;
  for (Value& profile : profiles->mutable_items()) {
    ProfileEditor editor(profile);
    change(editor);
  }
}

}  // namespace

std::string GatherProfile(Value& root, std::vector<std::string>& notes, api::DecodeErrors& errors) {
  if (const Value* profiles = root.Find("profiles")) {
    errors.Add("profiles", profiles->position(), "unknown field: v1alpha1 has no profiles");
  }
  Value profile = Value::Map();
  Value name = Take(root, "schedulerName");
  const bool is_named = !name.is_null() && !(name.is_string() && name.text().empty());
  profile.Set("schedulerName", is_named ? std::move(name) : Value::String("default-scheduler"));
  std::string scorer = "NodeResourcesLeastAllocated";
  const Value source = Take(root, "algorithmSource");
  const std::string provider = TextIn(source, "provider");
  if (provider == "ClusterAutoscalerProvider") {
    scorer = "NodeResourcesMostAllocated";
  } else if (!provider.empty() && provider != "DefaultProvider") {
    errors.Add("algorithmSource.provider", source.Find("provider")->position(),
               fmt::format("unknown provider \"{}\"", provider));
  }
  for (const std::string_view key : {"plugins", "pluginConfig"}) {
    Value value = Take(root, key);
    if (!value.is_null()) profile.Set(key, std::move(value));
  }
  if (const Value* policy = source.Find("policy"); policy != nullptr && !policy->is_null()) {
    scorer.clear();
    ApplyReferredPolicy(*policy, profile, root, notes, errors);
  }
  Value weight = Take(root, "hardPodAffinitySymmetricWeight");
  if (!weight.is_null()) {
    if (Value* args = ProfileEditor(profile).Args("InterPodAffinity")) {
      args->Set("hardPodAffinityWeight", std::move(weight));
    }
  }
  root.Set("profiles", Value::List({std::move(profile)}));
  return scorer;
}

void UpdateTopLevel(Value& root, std::vector<std::string>& notes) {
  DropAddress(root, "healthzBindAddress", notes);
  DropAddress(root, "metricsBindAddress", notes);
  UpdateLeaderElection(root, notes);
  if (Take(root, "disablePreemption").bool_value()) {
    ForEachProfile(root, [](ProfileEditor& profile) { profile.Disable("multiPoint", "DefaultPreemption"); });
  }
  const Value timeout = Take(root, "bindTimeoutSeconds");
  if (!timeout.is_null()) {
    ForEachProfile(root, [&](ProfileEditor& profile) {
      Value* args = profile.Args("VolumeBinding");
      if (args != nullptr && args->Find("bindTimeoutSeconds") == nullptr) args->Set("bindTimeoutSeconds", timeout);
    });
  }
}

}  // namespace berth::config
