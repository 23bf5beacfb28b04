// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/check.h"
#include "framework/cluster_event.h"
#include "framework/extension_points/pre_enqueue.h"
#include "framework/extension_points/queue_sort.h"
#include "queue/nominated_pods.h"
#include "queue/scheduling_queue.h"
#include "support/builders.h"

#include <chrono>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::queue {

inline void PrintTo(Place place, std::ostream* out) {
  static constexpr const char* kNames[] = {"None",          "Active", "Backoff", "ErrorBackoff",
                                           "Unschedulable", "Gated",  "InFlight"};
  *out << kNames[static_cast<size_t>(place)];
}

namespace test {

using berth::test::AtSecond;
using berth::test::MakeNode;
using berth::test::MakePod;
using berth::test::PodBuilder;
using framework::ClusterEvent;
using framework::EventResource;
using framework::QueueingHint;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

inline constexpr ClusterEvent kNodeAdd{EventResource::Node, framework::kAdd};
inline constexpr ClusterEvent kNodeLabel{EventResource::Node, framework::kUpdateNodeLabel};
inline constexpr ClusterEvent kPodDelete{EventResource::AssignedPod, framework::kDelete};
inline constexpr ClusterEvent kWildCard{EventResource::WildCard, framework::kAll};

// The samples of a metric in Prometheus' text format, by the values of the labels named; those that are zero are left
// out.
inline std::map<std::string, double> Samples(const std::string& exposition, const std::string& metric,
                                             const Names& labels) {
  std::map<std::string, double> samples;
  std::istringstream lines(exposition);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(metric + "{") && !line.starts_with(metric + " ")) continue;
    std::string key;
    for (const std::string& label : labels) {
      const size_t start = line.find(label + "=\"");
      BERTH_CHECK(start != std::string::npos);
      const size_t value = start + label.size() + 2;
      key += (key.empty() ? "" : "/") + line.substr(value, line.find('"', value) - value);
    }
    const double value = std::stod(line.substr(line.rfind(' ')));
    if (value != 0) samples[key] = value;
  }
  return samples;
}

// Higher priority first, then who has waited longer.
struct ByPriority final : framework::QueueSortPlugin {
  bool Less(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const override {
    const int32_t priority_a = (*a.pod)->priority();
    const int32_t priority_b = (*b.pod)->priority();
    return priority_a != priority_b ? priority_a > priority_b : a.queued < b.queued;
  }
};

// Gates the pods whose names it is told.
struct Gate final : framework::PreEnqueuePlugin {
  framework::Status PreEnqueue(const api::Pod& pod) const override {
    ++asked;
    for (const std::string& name : closed_to) {
      if (name == pod.meta.name || name == "*") return framework::Status::Unresolvable("gated");
    }
    return {};
  }
  std::vector<std::string> closed_to;
  mutable int asked = 0;
};

// A queue whose plugins, clock and nominator are at hand. Plugins are declared before the queue is first used.
class QueueTestBed {
 protected:
  struct FakePlugin {
    QueueingHint says = QueueingHint::Queue;
    bool fails = false;
    int asked = 0;
    Gate gate;
  };

  // A plugin that rejects pods; each event has its hint, which says what the plugin is told to.
  FakePlugin& Plugin(const std::string& name, std::initializer_list<ClusterEvent> events, uint32_t profile = 0,
                     bool by_template = false) {
    FakePlugin& plugin = *plugins_.emplace_back(std::make_unique<FakePlugin>());
    QueueProfile::Plugin& entry = ProfileAt(profile).plugins.emplace_back();
    entry.name = name;
    for (const ClusterEvent& event : events) {
      entry.events.push_back(
          {event,
           [&plugin](const framework::PodInfo&, const api::Object*, const api::Object*) -> Result<QueueingHint> {
             ++plugin.asked;
             if (plugin.fails) return Error{ErrorCode::Internal, "broken hint"};
             return plugin.says;
           },
           by_template});
    }
    return plugin;
  }
  // The same, and it may gate pods.
  FakePlugin& GatingPlugin(const std::string& name, std::initializer_list<ClusterEvent> events, uint32_t profile = 0) {
    FakePlugin& plugin = Plugin(name, events, profile);
    profiles_[profile].plugins.back().pre_enqueue = &plugin.gate;
    return plugin;
  }

  SchedulingQueue& queue() {
    if (!queue_) {
      ProfileAt(0);
      queue_ = std::make_unique<SchedulingQueue>(options_, profiles_, order_, nominator_, clock_, metrics_);
    }
    return *queue_;
  }

  // Forgets queue, plugins and popped pods.
  void Restart() {
    popped_.clear();
    queue_.reset();
    profiles_.clear();
    plugins_.clear();
  }

  framework::PodInfoPtr Info(const PodBuilder& pod) { return pod.Info(names_); }
  void Add(const PodBuilder& pod) { queue().Add(Info(pod)); }
  void Add(std::string_view name) { Add(MakePod(name)); }
  void Update(const PodBuilder& before, const PodBuilder& after) { queue().Update(Info(before), Info(after)); }

  // The next pod's name; empty when none is ready. The pod is kept for Fail.
  std::string Pop() {
    QueuedPodPtr pod = queue().Pop();
    if (!pod) return "";
    const std::string name = pod->pod->pod->meta.name;
    popped_[name] = std::move(pod);
    return name;
  }
  Names PopAll() {
    Names names;
    for (std::string name = Pop(); !name.empty(); name = Pop()) names.push_back(name);
    return names;
  }
  QueuedPod& Popped(const std::string& name) { return *popped_.at(name); }
  // Gives a popped pod back.
  Place Fail(const std::string& name, const Names& rejectors, const Names& pending = {}) {
    return queue().Return(std::move(popped_.extract(name).mapped()), {false, rejectors, pending});
  }
  Place FailWithError(const std::string& name) {
    return queue().Return(std::move(popped_.extract(name).mapped()), {true, {}, {}});
  }
  // Adds the pod, pops it, and gives it back. There must be no better one in the queue.
  Place AddFailed(const PodBuilder& pod, const Names& rejectors, const Names& pending = {}) {
    Add(pod);
    const std::string name = Pop();
    BERTH_CHECK(name == pod.Build()->meta.name);
    return Fail(name, rejectors, pending);
  }

  void Wake(const ClusterEvent& event) { queue().Wake({.event = event}); }
  Place PlaceOf(std::string_view name) { return queue().PlaceOf("default/" + std::string(name)); }
  const QueuedPod& Queued(std::string_view name) {
    const QueuedPod* pod = queue().Find("default/" + std::string(name));
    BERTH_CHECK(pod != nullptr);
    return *pod;
  }
  Names NominatedOn(std::string_view node) {
    Names names;
    for (const framework::PodInfoPtr& pod : nominator_.PodsFor(node)) names.push_back(pod->pod->meta.name);
    return names;
  }

  QueueProfile& ProfileAt(uint32_t index) {
    while (profiles_.size() <= index) {
      const size_t number = profiles_.size();
      profiles_.emplace_back().scheduler_name =
          number == 0 ? "default-scheduler" : "scheduler-" + std::to_string(number);
    }
    return profiles_[index];
  }

  ManualClock clock_{AtSecond(0)};
  NominatedPods nominator_;
  ByPriority order_;
  framework::ResourceNames names_;
  QueueOptions options_;
  metrics::SchedulerMetrics* metrics_ = nullptr;

 private:
  std::vector<QueueProfile> profiles_;
  std::vector<std::unique_ptr<FakePlugin>> plugins_;
  std::unique_ptr<SchedulingQueue> queue_;
  std::map<std::string, QueuedPodPtr> popped_;
};

}  // namespace test
}  // namespace berth::queue
