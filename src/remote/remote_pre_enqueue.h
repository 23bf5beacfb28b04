// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/string_map.h"
#include "framework/extension_points/pre_enqueue.h"
#include "remote/fallback.h"
#include "remote/plugin_calls.h"

namespace berth::remote {

// PreEnqueue of a remote plugin. A pod that it gates because the call failed is woken by nothing in the cluster: it is
// tried again as soon as calls can be made.
class RemotePreEnqueue final : public framework::PreEnqueuePlugin {
 public:
  // `fallback` may be null. Both outlive this.
  RemotePreEnqueue(PluginCalls& calls, const Fallback* fallback) : calls_(calls), fallback_(fallback) {}

  framework::Status PreEnqueue(const api::Pod& pod) const override BERTH_EXCLUDES(mutex_);
  // Calls can be made. Any thread.
  void TryAgain() BERTH_EXCLUDES(mutex_);

 private:
  Result<framework::Status> Ask(const api::Pod& pod) const;

  PluginCalls& calls_;
  const Fallback* const fallback_;
  mutable Mutex mutex_;
  mutable StringSet gated_ BERTH_GUARDED_BY(mutex_);  // uids of pods whose call failed
};

}  // namespace berth::remote
