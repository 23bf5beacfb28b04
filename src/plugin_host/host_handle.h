// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "features/feature_gates.h"
#include "framework/handle.h"
#include "plugin_host/asking_runner.h"
#include "plugin_host/collected_evictions.h"
#include "plugin_host/mirror.h"
#include "plugin_host/permit_table.h"
#include "plugin_host/scheduler_end.h"
#include "plugin_host/told_clock.h"

#include <string>
#include <utility>

namespace berth::plugin_host {

// What a plugin may ask of the scheduler, where that is another process: the cluster is a mirror, and what the plugin
// does goes back as messages. What it counts itself is not passed on.
class HostHandle final : public framework::Handle, public framework::EventRecorder, public framework::Activator {
 public:
  struct Options {
    std::string plugin;
    std::string profile;
    framework::PointSet points;
    features::FeatureGates features;
    log::Logger log;
  };
  HostHandle(Options options, SchedulerEnd& scheduler)
      : options_(std::move(options)),
        scheduler_(scheduler),
        mirror_(options_.features),
        runner_(mirror_, scheduler),
        permits_(options_.plugin, clock_, scheduler) {}

  Mirror& mirror() { return mirror_; }
  ToldClock& told_clock() { return clock_; }
  AskingRunner& runner() { return runner_; }
  CollectedEvictions& evictions() { return evictions_; }
  PermitTable& permits() { return permits_; }

  // framework::Handle
  std::string_view profile_name() const override { return options_.profile; }
  framework::PointSet EnabledAt(std::string_view plugin) const override {
    return plugin == options_.plugin ? options_.points : framework::PointSet();
  }
  const features::FeatureGates& features() const override { return options_.features; }
  const log::Logger& log() const override { return options_.log; }
  const framework::ObjectReader& objects() const override { return mirror_; }
  framework::ResourceNames& resource_names() override { return mirror_.resource_names(); }
  framework::WaitingPods& waiting_pods() override { return permits_.pods(); }
  framework::EventRecorder& events() override { return *this; }
  framework::Activator& activator() override { return *this; }
  framework::PluginMetrics& metrics() override { return metrics_; }
  const Clock& clock() const override { return clock_; }
  const framework::ClusterView& cluster() const override { return mirror_.cluster(); }
  const framework::Lister& lister() const override { return mirror_.cluster().objects(); }
  framework::Nominator& nominator() override { return mirror_.nominations(); }
  framework::PluginRunner& plugin_runner() override { return runner_; }
  framework::Evictor& evictor() override { return evictions_; }
  framework::PreemptionReview* preemption_review() override { return nullptr; }  // the scheduler asks for it

  // framework::EventRecorder
  void Record(const api::PodPtr& about, const api::PodPtr& related, framework::PodEvent event) override;
  // framework::Activator
  void Activate(std::vector<std::string> pod_uids) override;

 private:
  class UncountedMetrics final : public framework::PluginMetrics {
   public:
    void VolumeStageFailed(std::string_view /*stage*/) override {}
  };

  const Options options_;
  SchedulerEnd& scheduler_;
  Mirror mirror_;
  ToldClock clock_;
  AskingRunner runner_;
  CollectedEvictions evictions_;
  PermitTable permits_;
  UncountedMetrics metrics_;
};

}  // namespace berth::plugin_host
