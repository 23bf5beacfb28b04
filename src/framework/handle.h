// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "features/feature_gates.h"
#include "framework/activator.h"
#include "framework/cluster_view.h"
#include "framework/event_recorder.h"
#include "framework/evictor.h"
#include "framework/extension_point.h"
#include "framework/lister.h"
#include "framework/nominator.h"
#include "framework/object_reader.h"
#include "framework/plugin_metrics.h"
#include "framework/plugin_runner.h"
#include "framework/preemption_review.h"
#include "framework/resource.h"
#include "framework/waiting_pods.h"
#include "log/logger.h"

#include <string_view>

namespace berth::framework {

// What a plugin may ask of the scheduler it runs in: narrow roles, each with its own contract. A plugin keeps the
// Handle it is built with; every role outlives the plugin.
//
// Filter and Score run on several threads at once, so not every role is theirs. Indexes of the cluster cannot be
// reached from here at all: they are handed to the points that may use them (indexed_cluster.h).
class Handle {
 public:
  virtual ~Handle() = default;

  // On any thread.
  virtual std::string_view profile_name() const = 0;
  // At which points the profile enables the plugin.
  virtual PointSet EnabledAt(std::string_view plugin) const = 0;
  virtual const features::FeatureGates& features() const = 0;
  // A plugin speaks as a part of this: handle.log().Named(kName).
  virtual const log::Logger& log() const = 0;
  virtual const ObjectReader& objects() const = 0;
  virtual ResourceNames& resource_names() = 0;
  virtual WaitingPods& waiting_pods() = 0;
  virtual EventRecorder& events() = 0;
  virtual Activator& activator() = 0;
  virtual PluginMetrics& metrics() = 0;
  virtual const Clock& clock() const = 0;

  // On the engine thread, and in Filter and Score. Not in PostBind, for the cluster may change meanwhile.
  virtual const ClusterView& cluster() const = 0;
  virtual const Lister& lister() const = 0;

  // On the engine thread only.
  virtual Nominator& nominator() = 0;
  virtual PluginRunner& plugin_runner() = 0;
  virtual Evictor& evictor() = 0;
  virtual PreemptionReview* preemption_review() = 0;  // null: nobody reviews
};

}  // namespace berth::framework
