// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_classes.h"
#include "queue/test_naive_queue.h"
#include "queue/test_queue.h"
#include "support/dice.h"
#include "support/rounds.h"

#include <functional>
#include <memory>

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;
using berth::test::Dice;
using framework::PodInfo;
using framework::PodInfoPtr;

// Gates the pods of a changing set of labels.
struct LabelGate final : framework::PreEnqueuePlugin {
  framework::Status PreEnqueue(const api::Pod& pod) const override {
    const std::string* app = pod.meta.labels.Find("app");
    return app != nullptr && closed.contains(*app) ? framework::Status::Unschedulable("gated") : framework::Status();
  }
  std::set<std::string> closed;
};

// Lives through the same random life as the naive queue and must be like it at every step.
class RandomLife {
 public:
  explicit RandomLife(uint64_t seed) : dice_(seed) {
    options_.max_unschedulable = std::chrono::seconds(dice_.Between(20, 200));
    if (dice_.Chance(0.1)) options_.max_backoff = 0s;
    MakeProfiles();
    MakeTemplates();
    queue_ = std::make_unique<SchedulingQueue>(options_, profiles_, order_, nominator_, clock_, nullptr);
    naive_ = std::make_unique<NaiveQueue>(options_, profiles_, order_, naive_nominator_, clock_);
  }

  void Step() {
    const size_t what = dice_.Below(100);
    if (what < 20) {
      Add();
    } else if (what < 40) {
      Pop();
    } else if (what < 55) {
      EndFlight();
    } else if (what < 75) {
      Wake();
    } else if (what < 83) {
      Update();
    } else if (what < 86) {
      Remove();
    } else if (what < 89) {
      Activate();
    } else if (what < 92) {
      TurnGate();
    } else if (what < 94) {
      Nominate();
    } else {
      PassTime();
    }
  }

  // What differs between the two; empty when nothing does.
  std::string Difference() const {
    std::string text;
    const auto tell = [&](const std::string& uid, const std::string& what) { text += uid + ": " + what + "\n"; };
    size_t queued = 0;
    for (const auto& [uid, pod] : naive_->pods()) {
      const Place place = queue_->PlaceOf(uid);
      if (place != pod.place) {
        tell(uid, "is in " + testing::PrintToString(place) + ", not in " + testing::PrintToString(pod.place));
        continue;
      }
      if (place == Place::InFlight) continue;
      ++queued;
      const QueuedPod& mine = *queue_->Find(uid);
      if (mine.pod != pod.info) tell(uid, "has another object");
      if (NamesIn(mine.profile, mine.pending) != pod.pending) tell(uid, "has other pending plugins");
      std::set<std::string> all = pod.rejectors;
      all.insert(pod.pending.begin(), pod.pending.end());
      if (NamesIn(mine.profile, mine.rejectors) != all) tell(uid, "has other rejectors");
      const std::string gating =
          mine.gating_plugin < 0 ? ""
                                 : queue_->profile(mine.profile).plugins[static_cast<size_t>(mine.gating_plugin)].name;
      if (gating != pod.gating) tell(uid, "is gated by " + gating + ", not by " + pod.gating);
      if (mine.queued != pod.queued || mine.attempts != pod.attempts || mine.first_attempt != pod.first_attempt ||
          mine.flushed != pod.flushed || mine.was_flushed != pod.was_flushed || mine.error_count != pod.error_count ||
          mine.unschedulable_count != pod.unschedulable_count) {
        tell(uid, "has another history");
      }
    }
    const SchedulingQueue::Sizes sizes = queue_->sizes();
    if (sizes.active + sizes.backoff + sizes.unschedulable + sizes.gated != queued) tell("queue", "has another size");
    if (sizes.in_flight_events != naive_->in_flight_events()) tell("queue", "remembers other events");
    for (const char* node : {"n0", "n1", "n2"}) {
      if (Promises(nominator_, node) != Promises(naive_nominator_, node)) tell(node, "has other nominations");
    }
    return text;
  }

 private:
  struct Flight {
    std::string uid;
    QueuedPodPtr pod;
  };

  static std::vector<std::string> Promises(const NominatedPods& nominator, std::string_view node) {
    std::vector<std::string> uids;
    for (const PodInfoPtr& pod : nominator.PodsFor(node)) uids.push_back(pod->pod->meta.uid);
    return uids;
  }

  std::set<std::string> NamesIn(uint32_t profile, const PluginBits& plugins) const {
    std::set<std::string> names;
    for (size_t i = 0; i < kMaxPlugins; ++i) {
      if (plugins.test(i)) names.insert(queue_->profile(profile).plugins.at(i).name);
    }
    return names;
  }

  ClusterEvent RandomEvent() {
    const auto resource = dice_.PickOf({EventResource::Node, EventResource::Node, EventResource::AssignedPod,
                                        EventResource::UnschedulablePod, EventResource::PersistentVolume});
    const uint32_t actions = dice_.Chance(0.15) ? static_cast<uint32_t>(framework::kUpdate) : 1U << dice_.Below(14);
    return {resource, actions};
  }

  framework::ClusterEventWithHint RandomRegistration(const std::string& plugin) {
    const auto resource = dice_.PickOf({EventResource::Node, EventResource::Node, EventResource::Pod,
                                        EventResource::PersistentVolume, EventResource::WildCard});
    const uint32_t actions =
        dice_.PickOf({static_cast<uint32_t>(framework::kAll), static_cast<uint32_t>(framework::kUpdate),
                      static_cast<uint32_t>(framework::kAdd), static_cast<uint32_t>(dice_.Below(1U << 14U)),
                      static_cast<uint32_t>(dice_.Below(1U << 14U))});
    if (dice_.Chance(0.1)) return {{resource, actions}, nullptr};
    const bool by_template = dice_.Chance(0.6);
    const std::string salt = plugin + std::to_string(dice_.Below(1000));
    const auto hint = [=](const PodInfo& pod, const api::Object* before,
                          const api::Object* after) -> Result<QueueingHint> {
      std::string key = salt + pod->meta.namespace_ + std::to_string(pod->priority());
      for (const auto& [name, value] : pod->meta.labels) key.append(name).append(value);
      for (const api::Object* object : {before, after}) key += object == nullptr ? "-" : api::MetaOf(*object).name;
      if (!by_template) key += pod->meta.uid;
      const size_t answer = std::hash<std::string>()(key) % 8;
      if (answer == 0) return Error{ErrorCode::Internal, "broken hint"};
      return answer < 4 ? QueueingHint::Queue : QueueingHint::QueueSkip;
    };
    if (!by_template || dice_.Chance(0.4)) return {{resource, actions}, hint, by_template};
    const auto keys = RandomKeys(salt);
    const auto keyed_hint = [=](const PodInfo& pod, const api::Object* before,
                                const api::Object* after) -> Result<QueueingHint> {
      return keys->MayHelp(pod, before, after) ? hint(pod, before, after) : QueueingHint::QueueSkip;
    };
    return {{resource, actions}, keyed_hint, by_template, keys};
  }

  // Few keys, so that many pods share them, some need several, and some changes offer none.
  static std::shared_ptr<const framework::HintKeys> RandomKeys(const std::string& salt) {
    const auto draw = [](const std::string& text, std::vector<uint64_t>& keys) {
      const size_t drawn = std::hash<std::string>()(text);
      for (uint64_t key = 1; key <= 4; ++key) {
        if ((drawn >> key & 1U) != 0) keys.push_back(key);
      }
      return drawn % 16 != 0;
    };
    const auto needed = [=](const PodInfo& pod, std::vector<uint64_t>& keys) {
      std::string text = salt + pod->meta.namespace_ + std::to_string(pod->priority());
      for (const auto& [name, value] : pod->meta.labels) text.append(name).append(value);
      return draw(text, keys);
    };
    const auto offered = [=](const api::Object* before, const api::Object* after, std::vector<uint64_t>& keys) {
      std::string text = salt;
      for (const api::Object* object : {before, after}) text += object == nullptr ? "-" : api::MetaOf(*object).name;
      return draw(text, keys);
    };
    return std::make_shared<const framework::HintKeys>(framework::HintKeys{needed, offered});
  }

  void MakeProfiles() {
    for (int p = 0; p < 2; ++p) {
      QueueProfile& profile = profiles_.emplace_back();
      profile.scheduler_name = "scheduler-" + std::to_string(p);
      for (const char* name : {"A", "B", "C", "D", "E"}) {
        if (dice_.Chance(0.2)) continue;
        QueueProfile::Plugin& plugin = profile.plugins.emplace_back();
        plugin.name = name;
        const size_t events = dice_.Below(4);
        for (size_t i = 0; i < events; ++i) plugin.events.push_back(RandomRegistration(name));
        if (dice_.Chance(0.3)) plugin.pre_enqueue = gates_.emplace_back(std::make_unique<LabelGate>()).get();
      }
    }
  }

  void MakeTemplates() {
    for (int i = 0; i < 6; ++i) {
      PodBuilder builder = MakePod("template");
      builder.Priority(dice_.Between(0, 3));
      builder.spec().scheduler_name = profiles_[dice_.Below(2)].scheduler_name;
      templates_.push_back(builder.Info(names_));
    }
  }

  // A pod of one of the templates: spec and traits are shared.
  PodInfoPtr Make(const std::string& uid, const PodInfoPtr& like) {
    api::Pod pod = *like->pod;
    pod.meta.name = pod.meta.uid = uid;
    pod.meta.namespace_ = dice_.Pick({"ns0", "ns1"});
    if (dice_.Chance(0.8)) pod.meta.labels.Set("app", dice_.Pick({"a", "b", "c"}));
    if (dice_.Chance(0.1)) Promise(pod);
    return classes_.InfoOf(std::make_shared<const api::Pod>(std::move(pod)));
  }

  void Promise(api::Pod& pod) {
    api::PodStatus status = *pod.status;
    status.nominated_node_name = dice_.Pick({"", "n0", "n1", "n2"});
    pod.status = std::make_shared<const api::PodStatus>(std::move(status));
  }

  void Add() {
    const std::string uid = "p" + std::to_string(dice_.Below(60));
    PodInfoPtr& object = objects_[uid];
    if (!object) object = Make(uid, dice_.OneOf(templates_));
    queue_->Add(object);
    naive_->Add(object);
  }

  void Pop() {
    QueuedPodPtr pod = queue_->Pop();
    const std::string mine = pod ? pod->pod->pod->meta.uid : "";
    const std::string expected = naive_->Pop();
    ASSERT_EQ(mine, expected);
    if (pod) flights_.push_back({mine, std::move(pod)});
  }

  std::vector<std::string> SomePlugins(double chance) {
    std::vector<std::string> names;
    for (const char* name : {"A", "B", "C", "D", "E", "Extender"}) {
      if (dice_.Chance(chance)) names.emplace_back(name);
    }
    return names;
  }

  void EndFlight() {
    if (flights_.empty()) return;
    std::swap(flights_[dice_.Below(flights_.size())], flights_.back());
    Flight flight = std::move(flights_.back());
    flights_.pop_back();
    if (dice_.Chance(0.2)) {
      queue_->Done(flight.uid);
      naive_->Done(flight.uid);
      return;
    }
    const std::vector<std::string> rejectors = SomePlugins(0.3);
    const std::vector<std::string> pending = dice_.Chance(0.4) ? SomePlugins(0.3) : std::vector<std::string>();
    const SchedulingQueue::FailedAttempt failure{dice_.Chance(0.1), rejectors, pending};
    flight.pod->pod = objects_.at(flight.uid);
    queue_->Return(std::move(flight.pod), failure);
    naive_->Return(flight.uid, objects_.at(flight.uid), failure);
  }

  void Wake() {
    const api::Object node = MakeNode("n" + std::to_string(dice_.Below(50))).Build();
    const api::Object pod = MakePod("some").Uid("p" + std::to_string(dice_.Below(60))).Build();
    WakingChange change{.event = dice_.Chance(0.05) ? kWildCard : RandomEvent()};
    if (dice_.Chance(0.4)) change.before = dice_.Chance(0.8) ? &node : &pod;
    if (dice_.Chance(0.4)) change.after = dice_.Chance(0.5) ? &node : &pod;
    if (dice_.Chance(0.2)) change.max_priority = dice_.Between(0, 3);
    const std::string except = "p" + std::to_string(dice_.Below(60));
    if (dice_.Chance(0.2)) change.except = except;
    queue_->Wake(change);
    naive_->Wake(change);
  }

  void Update() {
    if (objects_.empty()) return;
    auto it = objects_.begin();
    std::advance(it, static_cast<std::ptrdiff_t>(dice_.Below(objects_.size())));
    api::Pod pod = *it->second->pod;
    if (dice_.Chance(0.5)) pod.meta.labels.Set("app", dice_.Pick({"a", "b", "c"}));
    if (dice_.Chance(0.3)) Promise(pod);
    if (dice_.Chance(0.2)) {
      PodInfoPtr like = it->second;
      for (const PodInfoPtr& other : templates_) {
        if (other->spec().scheduler_name == pod.spec->scheduler_name) like = other;
      }
      pod.spec = like->pod->spec;
    }
    const PodInfoPtr after = classes_.InfoOf(std::make_shared<const api::Pod>(std::move(pod)));
    queue_->Update(it->second, after);
    naive_->Update(it->second, after);
    it->second = after;
  }

  void Remove() {
    const std::string uid = "p" + std::to_string(dice_.Below(60));
    queue_->Remove(uid);
    naive_->Remove(uid);
    // A pod that flies comes back as it was.
    if (queue_->PlaceOf(uid) == Place::None) objects_.erase(uid);
  }

  void Activate() {
    const Names uids = {"p" + std::to_string(dice_.Below(60)), "p" + std::to_string(dice_.Below(60))};
    queue_->Activate(uids);
    for (const std::string& uid : uids) naive_->Activate(uid);
  }

  void TurnGate() {
    if (gates_.empty()) return;
    LabelGate& gate = *gates_[dice_.Below(gates_.size())];
    gate.closed.clear();
    for (const char* app : {"a", "b", "c"}) {
      if (dice_.Chance(0.3)) gate.closed.insert(app);
    }
  }

  // Preemption promises a node before the object shows it.
  void Nominate() {
    const auto it = objects_.find("p" + std::to_string(dice_.Below(60)));
    if (it == objects_.end()) return;
    const std::string node = dice_.Pick({"n0", "n1", "n2"});
    nominator_.Add(it->second, node);
    naive_nominator_.Add(it->second, node);
  }

  void PassTime() {
    if (dice_.Chance(0.3)) {
      const std::optional<Timestamp> next = queue_->NextTick();
      if (next && *next > clock_.Now()) clock_.Advance(*next - clock_.Now());
    } else {
      clock_.Advance(std::chrono::milliseconds(dice_.Between(1, dice_.Chance(0.2) ? 60'000 : 1'500)));
    }
    queue_->Tick();
    naive_->FlushBackoff();
    if (clock_.Now() < next_flush_) return;
    while (next_flush_ <= clock_.Now()) next_flush_ += 30s;
    naive_->FlushWaiting();
  }

  Dice dice_;
  ManualClock clock_{AtSecond(0)};
  Timestamp next_flush_ = AtSecond(0);
  QueueOptions options_;
  std::vector<QueueProfile> profiles_;
  std::vector<std::unique_ptr<LabelGate>> gates_;
  ByPriority order_;
  framework::ResourceNames names_;
  framework::PodClasses classes_{names_};
  std::vector<PodInfoPtr> templates_;
  std::map<std::string, PodInfoPtr> objects_;  // the newest of each pod
  NominatedPods nominator_;
  NominatedPods naive_nominator_;
  std::unique_ptr<SchedulingQueue> queue_;
  std::unique_ptr<NaiveQueue> naive_;
  std::vector<Flight> flights_;
};

TEST(QueuePropertyTest, TheIndexedQueueDoesWhatTheNaiveOneDoes) {
  for (uint64_t seed = 1; seed <= berth::test::Rounds(60); ++seed) {
    RandomLife life(seed);
    for (int step = 0; step < 400; ++step) {
      life.Step();
      ASSERT_EQ(life.Difference(), "") << "seed " << seed << ", step " << step;
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace berth::queue
