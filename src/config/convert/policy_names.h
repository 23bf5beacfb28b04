// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

// The vocabulary of Policy files: predicates and priorities, and the plugins that do their work now.
namespace berth::config {

// The plugins of a predicate. `gone` explains a predicate without any; `known` is false for names no release had.
struct PredicateMeaning {
  bool known = false;
  std::span<const std::string_view> plugins;
  std::string_view gone;
};
PredicateMeaning MeaningOfPredicate(std::string_view name);

// The plugin of a priority, by its name of the time of v1beta1.
struct PriorityMeaning {
  bool known = false;
  std::string_view plugin;
  std::string_view gone;
};
PriorityMeaning MeaningOfPriority(std::string_view name);

// A plugin that Policy files turned on and off.
struct PolicyPlugin {
  std::string_view name;
  bool pre_filters = false;
  bool filters = false;
  bool pre_scores = false;
  bool scores = false;
};
std::span<const PolicyPlugin> PolicyPlugins();

}  // namespace berth::config
