// SPDX-License-Identifier: Apache-2.0
#include "config/test_registry.h"

namespace berth::config {

framework::Registry TestRegistry() {
  using enum framework::ExtensionPoint;
  return framework::Registry({
      {"PrioritySort", {QueueSort}, {}},
      {"SchedulingGates", {PreEnqueue}, {}},
      {"NodeUnschedulable", {Filter}, {}},
      {"NodeName", {Filter}, {}},
      {"TaintToleration", {Filter, PreScore, Score}, {}},
      {"NodeAffinity", {PreFilter, Filter, PreScore, Score}, {}},
      {"NodePorts", {PreFilter, Filter}, {}},
      {"NodeResourcesFit", {PreFilter, Filter, PreScore, Score}, {}},
      {"VolumeRestrictions", {PreFilter, Filter}, {}},
      {"NodeVolumeLimits", {PreFilter, Filter}, {}},
      {"VolumeBinding", {PreFilter, Filter, Reserve, PreBind, PreScore, Score}, {}},
      {"VolumeZone", {PreFilter, Filter}, {}},
      {"PodTopologySpread", {PreFilter, Filter, PreScore, Score}, {}},
      {"InterPodAffinity", {PreFilter, Filter, PreScore, Score}, {}},
      {"DynamicResources", {PreEnqueue, PreFilter, Filter, PostFilter, Score, Reserve, PreBind}, {}},
      {"DefaultPreemption", {PreEnqueue, PostFilter}, {}},
      {"NodeResourcesBalancedAllocation", {PreScore, Score}, {}},
      {"ImageLocality", {Score}, {}},
      {"DefaultBinder", {Bind}, {}},
      {"NodeDeclaredFeatures", {PreFilter, Filter}, {}},
      {"GangScheduling", {PreEnqueue, Permit}, {}},
  });
}

}  // namespace berth::config
