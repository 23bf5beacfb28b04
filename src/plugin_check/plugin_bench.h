// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/pod_info.h"
#include "framework/registry.h"
#include "runtime/profile.h"

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin_check {

// How long something takes for one pod, and for each node that it is about.
struct Cost {
  std::string_view step;  // "Filter"
  std::string_view form;  // "plain", "columnar"; empty for steps with one form
  std::string_view by;    // who calls it: "a loop", "runtime"
  double per_call = 0;    // nanoseconds
  double per_node = 0;    // nanoseconds; 0 for steps that are not about nodes one by one
};

struct BenchOptions {
  size_t rounds = 5;  // of which the quickest counts
  std::chrono::nanoseconds round{20'000'000};
};

// Measures what one plugin costs at PreFilter, Filter, PreScore and Score, called directly and by the runtime; on one
// thread. What is said about nodes is the mean over the pods.
class PluginBench {
 public:
  // `profile` has the plugin alone at its points: see OnlyPlugin. It outlives this.
  PluginBench(const runtime::Profile& profile, std::string_view plugin, const BenchOptions& options = {});

  // Fails when the plugin does. Pods that it rejects as a whole tell nothing; there must be others.
  Result<std::vector<Cost>> Measure(std::span<const framework::PodInfoPtr> pods) const;

 private:
  struct Question;

  Result<std::vector<Question>> Questions(std::span<const framework::PodInfoPtr> pods) const;
  // Calls `ask` for every question, again and again; the time of one call in nanoseconds, on average over questions.
  template <typename Ask>
  double Time(std::vector<Question>& questions, const Ask& ask) const;
  void MeasureFilter(std::vector<Question>& questions, std::vector<Cost>& costs) const;
  void MeasureScore(std::vector<Question>& questions, std::vector<Cost>& costs) const;

  const runtime::Profile& profile_;
  const framework::PluginInstance& plugin_;
  const BenchOptions options_;
};

// A plugin that looks at one number of each node, at Filter and Score, and at nothing else: what is left is the cost of
// being called.
inline constexpr std::string_view kLeastPlugin = "the least plugin";
framework::PluginEntry LeastPluginEntry();

}  // namespace berth::plugin_check
