// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// Edits the plugin sets and arguments of one profile of a document.
class ProfileEditor {
 public:
  explicit ProfileEditor(api::Value& profile) : profile_(profile) {}

  // Returns whether the point's disabled list has the plugin or "*".
  bool Disables(std::string_view point, std::string_view plugin) const;
  bool DisablesAll(std::string_view point) const { return Names(point, "disabled", "*"); }
  bool HasDisabled(std::string_view point) const { return List(point, "disabled") != nullptr; }
  // The weight of the plugin's entry in the point's enabled list; 1 when the entry has none. Nothing without an entry.
  std::optional<int64_t> EnabledWeight(std::string_view point, std::string_view plugin) const;

  void Enable(std::string_view point, std::string_view plugin, int64_t weight = 0);
  void Disable(std::string_view point, std::string_view plugin);
  // Removes the plugin from the list; returns whether it was there.
  bool Remove(std::string_view point, std::string_view list, std::string_view plugin);
  // Replaces an enabled plugin by another.
  void Replace(std::string_view point, std::string_view plugin, std::string_view by, int64_t weight);
  void RenameEverywhere(std::string_view plugin, std::string_view to);

  // Moves the entries of one point to another; entries the other already has are not repeated.
  void MergePoint(std::string_view from, std::string_view into);
  void RenamePoint(std::string_view from, std::string_view to);

  // The plugin's arguments, created when it has none; null when they are not a map.
  api::Value* Args(std::string_view plugin);
  // The plugin's existing arguments; null when it has none.
  api::Value* FindArgs(std::string_view plugin);
  // Removes the plugin's entry from pluginConfig and returns its arguments; nothing when there is no entry.
  std::optional<api::Value> TakeArgs(std::string_view plugin);

  api::Value& profile() { return profile_; }
  // The points for which the profile has a plugin set.
  std::vector<std::string> Points() const;

 private:
  const api::Value* List(std::string_view point, std::string_view list) const;
  api::Value* MutableList(std::string_view point, std::string_view list);  // created when absent
  bool Names(std::string_view point, std::string_view list, std::string_view plugin) const;

  api::Value& profile_;
};

}  // namespace berth::config
