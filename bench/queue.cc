// SPDX-License-Identifier: Apache-2.0
// The cost of the scheduling queue with very many pods: time per operation, memory per pod.
#include "framework/node_info.h"
#include "framework/pod_classes.h"
#include "live_bytes.h"
#include "queue/nominated_pods.h"
#include "queue/scheduling_queue.h"
#include "report.h"

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth::bench {
namespace {

using framework::ClusterEvent;
using framework::EventResource;
using framework::PodInfo;
using framework::PodInfoPtr;
using framework::QueueingHint;

constexpr ClusterEvent kNodeAdd{EventResource::Node, framework::kAdd};
constexpr ClusterEvent kPodDelete{EventResource::AssignedPod, framework::kDelete};
constexpr ClusterEvent kUnheardOf{EventResource::StorageClass, framework::kAdd};

struct ByPriority final : framework::QueueSortPlugin {
  bool Less(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const override {
    const int32_t priority_a = (*a.pod)->priority();
    const int32_t priority_b = (*b.pod)->priority();
    return priority_a != priority_b ? priority_a > priority_b : a.queued < b.queued;
  }
};

struct ShutGate final : framework::PreEnqueuePlugin {
  framework::Status PreEnqueue(const api::Pod&) const override { return shut; }
  framework::Status shut = framework::Status::Unresolvable("gated");
};

// Pods as controllers create them: this many templates, five priorities, uids of 36 characters, two labels.
std::vector<PodInfoPtr> MakePods(size_t count, size_t templates) {
  const auto status = std::make_shared<const api::PodStatus>();
  framework::ResourceNames names;
  framework::PodClasses classes(names);
  std::vector<std::shared_ptr<const api::PodSpec>> specs;
  for (size_t i = 0; i < templates; ++i) {
    auto spec = std::make_shared<api::PodSpec>();
    spec->priority = static_cast<int32_t>(i * 7919 % 5);
    specs.push_back(std::move(spec));
  }
  std::vector<PodInfoPtr> pods;
  for (size_t i = 0; i < count; ++i) {
    const size_t kind = i * 104729 % templates;
    api::Pod pod;
    pod.meta.name = fmt::format("some-deployment-5d4f8c7b9d-{:05}", i);
    pod.meta.namespace_ = "some-namespace";
    pod.meta.uid = fmt::format("1b671a64-40d5-491e-99b0-{:012x}", i * 2654435761U);
    pod.meta.labels.Set("app", fmt::format("app-{}", kind));
    pod.meta.labels.Set("pod-template-hash", "5d4f8c7b9d");
    pod.spec = specs[kind];
    pod.status = status;
    pods.push_back(classes.InfoOf(std::make_shared<const api::Pod>(std::move(pod))));
  }
  return pods;
}

// A queue with one profile: the hint of "Fit" is by template, that of "Ports" by pod, and neither wakes a pod; "Gates"
// may gate everything.
class Bench {
 public:
  Bench(std::string name, std::vector<PodInfoPtr> pods, std::vector<Figure>& figures)
      : name_(std::move(name)), pods_(std::move(pods)), figures_(figures) {
    const auto hint = [](const PodInfo&, const api::Object*, const api::Object*) -> Result<QueueingHint> {
      return QueueingHint::QueueSkip;
    };
    std::vector<queue::QueueProfile> profiles(1);
    profiles[0].scheduler_name = "default-scheduler";
    profiles[0].plugins.push_back({"Gates", &gate_, {{kPodDelete, hint, true}}});
    profiles[0].plugins.push_back({"Fit", nullptr, {{kNodeAdd, hint, true}}});
    profiles[0].plugins.push_back({"Ports", nullptr, {{kPodDelete, hint, false}}});
    queue_ = std::make_unique<queue::SchedulingQueue>(queue::QueueOptions(), std::move(profiles), order_, nominator_,
                                                      clock_, nullptr);
  }

  void Run() {
    gate_.shut = {};
    const int64_t empty = LiveBytes();
    Time("Add", pods_.size(), [&] { Add(); });
    Note("active, bytes/pod", Bytes(empty));
    // One pod in flight at a time, as in the scheduler.
    Time("Pop and Return", pods_.size(), [&] {
      static const std::vector<std::string> kRejectors = {"Fit", "Ports"};
      while (queue::QueuedPodPtr pod = queue_->Pop()) queue_->Return(std::move(pod), {false, kRejectors, {}});
    });
    Note("unschedulable, bytes/pod", Bytes(empty));
    TimeEvents();
    Time("an event that wakes everyone, per pod", pods_.size(), [&] { queue_->Wake({.event = {}}); });
    Note("backing off, bytes/pod", Bytes(empty));
    clock_.Advance(std::chrono::minutes(1));
    Time("Tick that readies everyone, per pod", pods_.size(), [&] { queue_->Tick(); });
    Time("Pop and Done", pods_.size(), [&] {
      while (const queue::QueuedPodPtr pod = queue_->Pop()) queue_->Done(framework::PodUid(*pod->pod->pod));
    });
  }

  void RunGated() {
    const int64_t empty = LiveBytes();
    Time("Add", pods_.size(), [&] { Add(); });
    Note("gated, bytes/pod", Bytes(empty));
    TimeEvents();
  }

 private:
  void Add() {
    for (const PodInfoPtr& pod : pods_) {
      clock_.Advance(std::chrono::microseconds(1));
      queue_->Add(pod);
    }
  }

  void TimeEvents() {
    Time("an event nobody registered for", 1'000'000, [&] {
      for (int i = 0; i < 1'000'000; ++i) queue_->Wake({.event = kUnheardOf});
    });
    Time("an event asked by template", 100, [&] {
      for (int i = 0; i < 100; ++i) queue_->Wake({.event = kNodeAdd});
    });
    Time("an event asked by pod", 10, [&] {
      for (int i = 0; i < 10; ++i) queue_->Wake({.event = kPodDelete});
    });
  }

  double Bytes(int64_t before) const {
    return static_cast<double>(LiveBytes() - before) / static_cast<double>(pods_.size());
  }
  void Note(const std::string& metric, double value) { figures_.push_back({name_, pods_.size(), metric, value}); }
  template <typename Call>
  void Time(const std::string& what, size_t calls, const Call& call) {
    // CPU time, so that other work on the machine does not count.
    const std::clock_t start = std::clock();
    call();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    Note(what + ", ns", seconds * 1e9 / static_cast<double>(calls));
  }

  std::string name_;
  std::vector<PodInfoPtr> pods_;
  std::vector<Figure>& figures_;
  ShutGate gate_;
  ByPriority order_;
  queue::NominatedPods nominator_;
  ManualClock clock_;
  std::unique_ptr<queue::SchedulingQueue> queue_;
};

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  using namespace berth::bench;
  CLI::App app{"Times the scheduling queue; columns are pods"};
  std::string json;
  std::vector<size_t> sizes = {10'000, 100'000};
  app.add_option("--json", json, "Also write one JSON line per figure to this file");
  app.add_option("--pods", sizes, "How many pods to queue")->delimiter(',')->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  std::vector<Figure> figures;
  for (const size_t size : sizes) {
    Bench("one template", MakePods(size, 1), figures).Run();
    Bench("a hundred templates", MakePods(size, 100), figures).Run();
    Bench("each its own", MakePods(size, size), figures).Run();
    Bench("gated", MakePods(size, 100), figures).RunGated();
  }
  PrintTable(figures);
  if (!json.empty() && !WriteJson(figures, json)) {
    fmt::print(stderr, "bench_queue: cannot write {}\n", json);
    return 1;
  }
  return 0;
}
