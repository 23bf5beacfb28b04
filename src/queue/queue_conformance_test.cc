// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "framework/pod_classes.h"
#include "metrics/scheduler_metrics.h"
#include "queue/test_queue.h"

#include <cstdlib>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;
using api::Value;
using framework::PodInfo;
using framework::PodInfoPtr;

std::string Text(const Value& value, std::string_view key) {
  const Value* member = value.Find(key);
  return member == nullptr ? "" : member->text();
}

int64_t Number(const Value& value, std::string_view key) {
  const std::string text = Text(value, key);
  return text.empty() ? 0 : std::stoll(text);
}

Names Texts(const Value& value, std::string_view key) {
  Names texts;
  if (const Value* list = value.Find(key)) {
    for (const Value& item : list->items()) texts.push_back(item.text());
  }
  return texts;
}

std::string Joined(const std::set<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
  return joined;
}

uint32_t Fnv1a(std::string_view text) {
  uint32_t hash = 2166136261U;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619U;
  return hash;
}

// Gates the pods of the apps it is told.
struct AppGate final : framework::PreEnqueuePlugin {
  framework::Status PreEnqueue(const api::Pod& pod) const override {
    const std::string* app = pod.meta.labels.Find("app");
    return app != nullptr && closed.contains(*app) ? framework::Status::Unschedulable("gated") : framework::Status();
  }
  std::set<std::string> closed;
};

ClusterEvent EventIn(const Value& value) {
  static const std::map<std::string, EventResource> kResources = {
      {"Node", EventResource::Node},
      {"Pod", EventResource::Pod},
      {"AssignedPod", EventResource::AssignedPod},
      {"UnschedulablePod", EventResource::UnschedulablePod},
      {"PersistentVolume", EventResource::PersistentVolume},
      {"*", EventResource::WildCard},
  };
  // As upstream numbers them.
  constexpr int64_t kUpstreamUpdate = 0x1ffc;
  constexpr int64_t kUpstreamAll = 0x1fff;
  const int64_t actions = Number(value, "actions");
  if (actions == kUpstreamUpdate) return {kResources.at(Text(value, "resource")), framework::kUpdate};
  if (actions == kUpstreamAll) return {kResources.at(Text(value, "resource")), framework::kAll};
  return {kResources.at(Text(value, "resource")), static_cast<uint32_t>(actions)};
}

// "node:x", "pod:uid", or nothing.
std::optional<api::Object> ObjectNamed(const std::string& text) {
  if (text.starts_with("node:")) return MakeNode(text.substr(5)).Build();
  if (text.starts_with("pod:")) return MakePod(text.substr(4)).Uid(text.substr(4)).Build();
  return std::nullopt;
}

// Answers as the life was written with.
Result<QueueingHint> Answer(const std::string& salt, bool by_pod, const PodInfo& pod, const api::Object* before,
                            const api::Object* after) {
  const auto name = [](const api::Object* object) { return object == nullptr ? "-" : api::MetaOf(*object).name; };
  const std::string* app = pod->meta.labels.Find("app");
  std::string key = salt + "|" + pod->meta.namespace_ + "|" + (app == nullptr ? "" : *app) + "|" +
                    std::to_string(pod->priority()) + "|" + std::to_string(pod.spec().tolerations.size()) + "|" +
                    name(before) + "|" + name(after);
  if (by_pod) key += "|" + pod->meta.uid;
  const uint32_t answer = Fnv1a(key) % 8;
  if (answer == 0) return Error{ErrorCode::Internal, "broken hint"};
  return answer < 4 ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

// Lives through what kube-scheduler's own queue lived through.
class Replay {
 public:
  explicit Replay(const Value& life) : life_(life) {
    using std::chrono::milliseconds;
    const QueueOptions options{milliseconds(Number(life, "initialBackoffMs")),
                               milliseconds(Number(life, "maxBackoffMs")),
                               milliseconds(Number(life, "maxUnschedulableMs"))};
    std::vector<QueueProfile> profiles;
    for (const Value& profile : life.Find("profiles")->items()) profiles.push_back(ProfileIn(profile));
    queue_ = std::make_unique<SchedulingQueue>(options, std::move(profiles), order_, nominator_, clock_, &metrics_);
  }

  // The first step at which something else happened, and what; empty when there is none.
  std::string FirstDifference() {
    size_t number = 0;
    for (const Value& step : life_.Find("steps")->items()) {
      const Timestamp at = AtSecond(0) + std::chrono::milliseconds(Number(step, "at"));
      clock_.Advance(at - clock_.Now());
      std::string difference = Do(step);
      if (difference.empty()) difference = Compare(step);
      if (!difference.empty()) {
        return "step " + std::to_string(number) + " " + api::ToJson(step) + "\n" + difference;
      }
      ++number;
    }
    return CompareMetrics("scheduler_queue_incoming_pods_total", {"queue", "event"}, *life_.Find("incoming")) +
           CompareMetrics("scheduler_pending_pods", {"queue"}, *life_.Find("pendingPods"));
  }

 private:
  QueueProfile ProfileIn(const Value& value) {
    QueueProfile profile{Text(value, "name"), {}};
    for (const Value& entry : value.Find("plugins")->items()) {
      QueueProfile::Plugin& plugin = profile.plugins.emplace_back();
      plugin.name = Text(entry, "name");
      if (entry.Find("gate") != nullptr) {
        plugin.pre_enqueue = &gates_[profile.scheduler_name + "/" + plugin.name];
      }
      const Value* events = entry.Find("events");
      if (events == nullptr) continue;
      for (const Value& event : events->items()) plugin.events.push_back(RegistrationIn(event));
    }
    return profile;
  }

  static framework::ClusterEventWithHint RegistrationIn(const Value& event) {
    if (Text(event, "hint") != "true") return {EventIn(event), nullptr};
    const bool by_pod = Text(event, "byPod") == "true";
    const std::string salt = Text(event, "salt");
    return {EventIn(event),
            [=](const PodInfo& pod, const api::Object* before, const api::Object* after) {
              return Answer(salt, by_pod, pod, before, after);
            },
            !by_pod};
  }

  // Pods of one template share spec and traits, as they do in the engine.
  PodInfoPtr PodIn(const Value& value) {
    const std::string key = Text(value, "scheduler") + "/" + Text(value, "priority") + "/" + Text(value, "tolerations");
    PodInfoPtr& like = templates_[key];
    if (!like) {
      PodBuilder builder = MakePod("template");
      builder.Priority(static_cast<int32_t>(Number(value, "priority")));
      for (int64_t i = 0; i < Number(value, "tolerations"); ++i) builder.Tolerate("t" + std::to_string(i));
      builder.spec().scheduler_name = Text(value, "scheduler");
      like = builder.Info(names_);
    }
    api::Pod pod = *like->pod;
    pod.meta.name = pod.meta.uid = Text(value, "uid");
    pod.meta.namespace_ = Text(value, "namespace");
    pod.meta.annotations.Set("version", std::to_string(Number(value, "version")));
    if (const std::string app = Text(value, "app"); !app.empty()) pod.meta.labels.Set("app", app);
    api::PodStatus status = *pod.status;
    status.nominated_node_name = Text(value, "nominated");
    pod.status = std::make_shared<const api::PodStatus>(std::move(status));
    return classes_.InfoOf(std::make_shared<const api::Pod>(std::move(pod)));
  }

  std::string Do(const Value& step) {
    const std::string op = Text(step, "op");
    const std::string uid = Text(step, "uid");
    if (op == "add") {
      const PodInfoPtr pod = PodIn(*step.Find("pod"));
      objects_[pod->pod->meta.uid] = pod;
      queue_->Add(pod);
    } else if (op == "update") {
      const PodInfoPtr pod = PodIn(*step.Find("pod"));
      PodInfoPtr& newest = objects_.at(pod->pod->meta.uid);
      queue_->Update(std::exchange(newest, pod), pod);
    } else if (op == "remove") {
      queue_->Remove(uid);
    } else if (op == "pop") {
      return Pop(Text(step, "popped"));
    } else if (op == "done") {
      flights_.erase(uid);
      queue_->Done(uid);
    } else if (op == "return") {
      QueuedPodPtr pod = std::move(flights_.extract(uid).mapped());
      pod->pod = objects_.at(uid);
      const Names rejectors = Texts(step, "rejectors");
      const Names pending = Texts(step, "pending");
      queue_->Return(std::move(pod), {false, rejectors, pending});
    } else if (op == "wake") {
      Wake(step);
    } else if (op == "activate") {
      queue_->Activate(Names{uid});
    } else if (op == "gate") {
      const Names closed = Texts(step, "closed");
      gates_.at(uid).closed = {closed.begin(), closed.end()};
    } else if (op == "nominate") {
      nominator_.Add(objects_.at(uid), Text(step, "node"));
    } else if (op == "tick") {
      queue_->Tick();
    } else {
      return "unknown step";
    }
    return "";
  }

  std::string Pop(const std::string& expected) {
    QueuedPodPtr pod = queue_->Pop();
    const std::string uid = pod ? pod->pod->pod->meta.uid : "";
    if (pod) flights_[uid] = std::move(pod);
    return uid == expected ? "" : "popped " + uid;
  }

  void Wake(const Value& step) {
    const std::optional<api::Object> before = ObjectNamed(Text(step, "before"));
    const std::optional<api::Object> after = ObjectNamed(Text(step, "after"));
    const std::string except = Text(step, "except");
    WakingChange change{.event = EventIn(step), .except = except};
    if (before) change.before = &*before;
    if (after) change.after = &*after;
    if (step.Find("maxPriority") != nullptr) change.max_priority = static_cast<int32_t>(Number(step, "maxPriority"));
    queue_->Wake(change);
  }

  std::set<std::string> NamesIn(const QueuedPod& pod, const PluginBits& plugins) const {
    std::set<std::string> names;
    for (size_t i = 0; i < kMaxPlugins; ++i) {
      if (plugins.test(i)) names.insert(queue_->profile(pod.profile).plugins.at(i).name);
    }
    return names;
  }

  // The pod as the lives describe it; empty when it is not known.
  std::string Describe(const std::string& uid) const {
    static constexpr const char* kPlaces[] = {"", "active", "backoff", "error", "unschedulable", "gated", "inflight"};
    const Place place = queue_->PlaceOf(uid);
    const QueuedPod* pod = queue_->Find(uid);
    if (pod == nullptr) return kPlaces[static_cast<size_t>(place)];
    const auto since_start = [](Timestamp moment) {
      return std::chrono::duration_cast<std::chrono::milliseconds>(moment - AtSecond(0)).count();
    };
    std::ostringstream text;
    text << kPlaces[static_cast<size_t>(place)] << ' ' << Joined(NamesIn(*pod, pod->rejectors)) << ';'
         << Joined(NamesIn(*pod, pod->pending)) << ';';
    if (pod->gating_plugin >= 0) {
      text << queue_->profile(pod->profile).plugins.at(static_cast<size_t>(pod->gating_plugin)).name;
    }
    text << ' ' << pod->attempts << '/' << pod->unschedulable_count << '/' << pod->error_count << ' '
         << since_start(pod->queued) << ' ' << (pod->first_attempt ? since_start(*pod->first_attempt) : -1) << " v"
         << *pod->pod->pod->meta.annotations.Find("version") << (pod->was_flushed ? "flushed" : "");
    return text.str();
  }

  std::string Compare(const Value& step) {
    if (const Value* changed = step.Find("changed")) {
      for (const auto& [uid, description, position] : changed->members()) described_[uid] = description.text();
    }
    if (const Value* nominated = step.Find("nominated")) {
      for (const auto& [node, uids, position] : nominated->members()) promised_[node] = uids.text();
    }
    std::string difference;
    for (const auto& [uid, expected] : described_) {
      const std::string mine = Describe(uid);
      if (mine != expected) difference += uid + " is '" + mine + "', not '" + expected + "'\n";
    }
    for (const auto& [node, expected] : promised_) {
      std::string mine;
      for (const PodInfoPtr& pod : nominator_.PodsFor(node)) mine += (mine.empty() ? "" : ",") + pod->pod->meta.uid;
      if (mine != expected) difference += node + " is promised to '" + mine + "', not '" + expected + "'\n";
    }
    const size_t events = queue_->sizes().in_flight_events;
    if (events != static_cast<size_t>(Number(step, "inFlightEvents"))) {
      difference += std::to_string(events) + " events are kept for pods in flight\n";
    }
    return difference;
  }

  std::string CompareMetrics(const std::string& metric, const Names& labels, const Value& expected) const {
    std::map<std::string, double> wanted;
    for (const auto& [key, value, position] : expected.members()) wanted[key] = std::stod(value.text());
    const std::map<std::string, double> mine = Samples(metrics_.Expose(), metric, labels);
    if (mine == wanted) return "";
    return metric + " is " + testing::PrintToString(mine) + ", not " + testing::PrintToString(wanted);
  }

  const Value& life_;
  metrics::SchedulerMetrics metrics_;
  ManualClock clock_{AtSecond(0)};
  NominatedPods nominator_;
  ByPriority order_;
  framework::ResourceNames names_;
  framework::PodClasses classes_{names_};
  std::map<std::string, AppGate> gates_;  // by profile/plugin
  std::map<std::string, PodInfoPtr> templates_;
  std::map<std::string, PodInfoPtr> objects_;
  std::map<std::string, QueuedPodPtr> flights_;
  std::map<std::string, std::string> described_;
  std::map<std::string, std::string> promised_;
  std::unique_ptr<SchedulingQueue> queue_;
};

TEST(QueueConformanceTest, LivesOfUpstreamsQueueAreLivedAgain) {
  // Longer ones can be named.
  const char* other = std::getenv("BERTH_QUEUE_LIVES");
  const std::string path = other != nullptr ? other : BERTH_SOURCE_DIR "/src/queue/testdata/upstream_lives.jsonl";
  const auto lives = api::ReadDocumentsFromFile(path);
  ASSERT_TRUE(lives) << lives.error().message;
  ASSERT_FALSE(lives->empty());
  for (const api::Document& life : *lives) {
    EXPECT_EQ(Replay(life.root).FirstDifference(), "") << "seed " << Text(life.root, "seed");
  }
}

}  // namespace
}  // namespace berth::queue
