// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "framework/extension_point.h"
#include "framework/extension_points/bind.h"
#include "framework/extension_points/describe_preemption.h"
#include "framework/extension_points/describe_rejection.h"
#include "framework/extension_points/enqueue_extensions.h"
#include "framework/extension_points/filter.h"
#include "framework/extension_points/permit.h"
#include "framework/extension_points/post_bind.h"
#include "framework/extension_points/post_filter.h"
#include "framework/extension_points/pre_bind.h"
#include "framework/extension_points/pre_enqueue.h"
#include "framework/extension_points/pre_filter.h"
#include "framework/extension_points/pre_score.h"
#include "framework/extension_points/queue_sort.h"
#include "framework/extension_points/reserve.h"
#include "framework/extension_points/score.h"
#include "framework/extension_points/verdicts_by_template.h"
#include "framework/plugin_args.h"

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::framework {

class Handle;

// A built plugin: its owner, and one typed pointer per role it plays, null where it plays none. A plugin class derives
// from the interfaces of the points it serves; there is no common base and no dynamic_cast.
struct PluginInstance {
  std::shared_ptr<void> owner;
  PreEnqueuePlugin* pre_enqueue = nullptr;
  QueueSortPlugin* queue_sort = nullptr;
  PreFilterPlugin* pre_filter = nullptr;
  PreFilterExtensions* pre_filter_extensions = nullptr;
  FilterPlugin* filter = nullptr;
  FilterAllPlugin* filter_all = nullptr;
  PostFilterPlugin* post_filter = nullptr;
  PreScorePlugin* pre_score = nullptr;
  ScorePlugin* score = nullptr;
  ScoreAllPlugin* score_all = nullptr;
  NormalizeScorePlugin* normalize_score = nullptr;
  ReservePlugin* reserve = nullptr;
  PermitPlugin* permit = nullptr;
  PreBindPlugin* pre_bind = nullptr;
  BindPlugin* bind = nullptr;
  PostBindPlugin* post_bind = nullptr;
  EnqueueExtensions* enqueue_extensions = nullptr;
  VerdictsByTemplate* verdicts_by_template = nullptr;
  DescribeRejectionPlugin* describe_rejection = nullptr;
  DescribePreemptionPlugin* describe_preemption = nullptr;
  // The kinds that it reads besides those of its PluginEntry: known only now that it is built.
  std::vector<std::string> kinds;
};

namespace internal {

template <typename P, typename Role>
void Connect(P* plugin, Role*& role) {
  if constexpr (std::derived_from<P, Role>) role = plugin;
}

template <typename P, typename Role>
constexpr void AddPoint(PointSet& points, ExtensionPoint point) {
  if constexpr (std::derived_from<P, Role>) points.Add(point);
}

}  // namespace internal

// The points a plugin class serves, known without building it.
template <typename P>
constexpr PointSet PointsOf() {
  PointSet points;
  internal::AddPoint<P, PreEnqueuePlugin>(points, ExtensionPoint::PreEnqueue);
  internal::AddPoint<P, QueueSortPlugin>(points, ExtensionPoint::QueueSort);
  internal::AddPoint<P, PreFilterPlugin>(points, ExtensionPoint::PreFilter);
  internal::AddPoint<P, FilterPlugin>(points, ExtensionPoint::Filter);
  internal::AddPoint<P, PostFilterPlugin>(points, ExtensionPoint::PostFilter);
  internal::AddPoint<P, PreScorePlugin>(points, ExtensionPoint::PreScore);
  internal::AddPoint<P, ScorePlugin>(points, ExtensionPoint::Score);
  internal::AddPoint<P, ReservePlugin>(points, ExtensionPoint::Reserve);
  internal::AddPoint<P, PermitPlugin>(points, ExtensionPoint::Permit);
  internal::AddPoint<P, PreBindPlugin>(points, ExtensionPoint::PreBind);
  internal::AddPoint<P, BindPlugin>(points, ExtensionPoint::Bind);
  internal::AddPoint<P, PostBindPlugin>(points, ExtensionPoint::PostBind);
  return points;
}

template <typename P>
PluginInstance MakeInstance(std::shared_ptr<P> plugin) {
  static_assert(!PointsOf<P>().empty(), "a plugin must serve at least one extension point");
  static_assert(!std::derived_from<P, FilterAllPlugin> || std::derived_from<P, FilterPlugin>);
  static_assert(!std::derived_from<P, ScoreAllPlugin> || std::derived_from<P, ScorePlugin>);
  PluginInstance instance;
  P* p = plugin.get();
  internal::Connect(p, instance.pre_enqueue);
  internal::Connect(p, instance.queue_sort);
  internal::Connect(p, instance.pre_filter);
  internal::Connect(p, instance.pre_filter_extensions);
  internal::Connect(p, instance.filter);
  internal::Connect(p, instance.filter_all);
  internal::Connect(p, instance.post_filter);
  internal::Connect(p, instance.pre_score);
  internal::Connect(p, instance.score);
  internal::Connect(p, instance.score_all);
  internal::Connect(p, instance.normalize_score);
  internal::Connect(p, instance.reserve);
  internal::Connect(p, instance.permit);
  internal::Connect(p, instance.pre_bind);
  internal::Connect(p, instance.bind);
  internal::Connect(p, instance.post_bind);
  internal::Connect(p, instance.enqueue_extensions);
  internal::Connect(p, instance.verdicts_by_template);
  internal::Connect(p, instance.describe_rejection);
  internal::Connect(p, instance.describe_preemption);
  instance.owner = std::move(plugin);
  return instance;
}

}  // namespace berth::framework
