// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"
#include "framework/extension_points/queue_sort.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>

namespace berth::remote {

// QueueSort of a remote plugin: it is asked for a key once per pod, and keys are compared here. Pods without a key, for
// the call failed, come last, in the fallback's order or in that of priority and time; it is asked for them again after
// a while. Engine thread only.
class RemoteQueueSort final : public framework::QueueSortPlugin {
 public:
  // `fallback` may be null. Both outlive this.
  RemoteQueueSort(PluginCalls& calls, const Fallback* fallback) : calls_(calls), fallback_(fallback) {}

  bool Less(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const override;

 private:
  struct Known {
    api::PodPtr pod;
    std::optional<wire::SortKey> key;  // nothing when the plugin could not be asked
    std::chrono::steady_clock::time_point asked;
  };

  const std::optional<wire::SortKey>& KeyOf(const framework::PodInfo& pod) const;
  Result<wire::SortKey> Ask(const framework::PodInfo& pod) const;
  bool LessWithoutKeys(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const;

  PluginCalls& calls_;
  const Fallback* const fallback_;
  // By uid, in two generations: what was not looked at during the last one is forgotten.
  mutable StringMap<Known> recent_;
  mutable StringMap<Known> older_;
};

}  // namespace berth::remote
