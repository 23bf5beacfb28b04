// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// The predicates and priorities of Policy files, and the plugins that replaced them.
namespace berth::config {

// The plugins of a predicate. `gone` explains why one has none; `known` is false for names that no release had.
struct PredicateMeaning {
  bool known = false;
  std::span<const std::string_view> plugins;
  std::string_view gone;
};
PredicateMeaning MeaningOfPredicate(std::string_view name);

// The plugin of a priority, by its v1beta1 name.
struct PriorityMeaning {
  bool known = false;
  std::string_view plugin;
  std::string_view gone;
};
PriorityMeaning MeaningOfPriority(std::string_view name);

// A plugin that Policy files enable and disable.
struct PolicyPlugin {
  std::string_view name;
  bool pre_filters = false;
  bool filters = false;
  bool pre_scores = false;
  bool scores = false;
};
std::span<const PolicyPlugin> PolicyPlugins();

}  // namespace berth::config
