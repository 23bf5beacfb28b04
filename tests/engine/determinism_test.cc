// SPDX-License-Identifier: Apache-2.0
// The same input gives the same decisions, byte for byte, whatever the threads that bind do meanwhile.
#include "engine/engine_checks.h"
#include "engine/live_cluster.h"
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"
#include "home/store_home.h"
#include "plugins/registry.h"
#include "scheduler/decision_log.h"
#include "scheduler/work_pool.h"

#include <algorithm>
#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A busy afternoon: equal nodes, so that chance decides, pods that do not fit, pods that are more important.
void Afternoon(LiveCluster& cluster, int nodes) {
  Rng rng(11);
  for (int i = 0; i < nodes; ++i) cluster.AddNode("n" + std::to_string(i), std::to_string(48'000 / nodes) + "m");
  for (int i = 0; i < 150; ++i) {
    const std::string name = "p" + std::to_string(i);
    cluster.AddPod(name,
                   {.cpu = std::to_string(100 + rng.Below(20) * 50) + "m", .priority = rng.Below(10) == 0 ? 10 : 0});
    if (rng.Below(3) == 0) cluster.Pass(milliseconds(static_cast<int64_t>(rng.Below(1'500))));
    if (rng.Below(8) == 0) {
      const std::string victim = "p" + std::to_string(rng.Below(static_cast<uint64_t>(i + 1)));
      if (cluster.NodeOf(victim) != "gone") cluster.RemovePod(victim);
    }
    if (i == 75) cluster.RemoveNode("n3");
    if (i == 110) cluster.AddNode("n3", "8");
  }
  cluster.Pass(seconds(60));
}

std::string LogOfAfternoon(LiveCluster& cluster, int nodes) {
  std::string log;
  cluster.engine().log().SetSink(
      [&](const scheduler::DecisionRecord& record) { log += scheduler::ToLine(record) + "\n"; });
  Afternoon(cluster, nodes);
  return log;
}

std::string LogOf(uint64_t seed, bool repeat_failures = true) {
  scheduler::SchedulerOptions options;
  options.engine.seed = seed;
  options.engine.repeat_failures = repeat_failures;
  LiveCluster cluster(plugins::InTreeRegistry(), DefaultPlans(plugins::InTreeRegistry()), options);
  return LogOfAfternoon(cluster, 12);
}

std::string LogWithThreads(const framework::Registry& registry, size_t threads) {
  scheduler::SchedulerOptions options;
  options.engine.worker_threads = threads;
  LiveCluster cluster(registry, DefaultPlans(registry), options);
  // So many nodes that several threads have something to do.
  return LogOfAfternoon(cluster, 200);
}

TEST(Determinism, TheSameInputAndSeedGiveTheSameLog) {
  const std::string log = LogOf(5);
  EXPECT_GT(std::ranges::count(log, '\n'), 150);
  EXPECT_EQ(LogOf(5), log);
  EXPECT_NE(LogOf(6), log) << "the seed decides among equal nodes";
}

TEST(Determinism, ThatFailuresAreRepeatedIsNotSeen) {
  for (uint64_t seed = 1; seed <= 5; ++seed) EXPECT_EQ(LogOf(seed, true), LogOf(seed, false)) << seed;
}

TEST(Determinism, TheNumberOfThreadsIsNotSeen) {
  const framework::Registry plain = framework::WithoutColumns(plugins::InTreeRegistry());
  const std::string log = LogWithThreads(plain, 1);
  EXPECT_GT(std::ranges::count(log, '\n'), 150);
  EXPECT_EQ(LogWithThreads(plain, 2), log);
  EXPECT_EQ(LogWithThreads(plain, 4), log);
  EXPECT_EQ(LogWithThreads(plugins::InTreeRegistry(), 1), log) << "columns decide as nodes one by one do";
}

// Bind calls come in their order and finish in any: each waits until the test lets it go.
struct ShuffledBind final : framework::BindPlugin {
  framework::BindingProgress Bind(framework::CycleState&, const framework::PodInfo& pod, std::string_view,
                                  const framework::Wake& wake, framework::BindWork& work) override {
    if (wake.reason == framework::Wake::Reason::Start) {
      work.Bind();
      return framework::BindingProgress::Wait();
    }
    if (std::exchange(bound[pod->meta.name], true)) return framework::BindingProgress::Done({});
    work.RunElsewhere([this, name = pod->meta.name](const std::stop_token&) {
      const MutexLock lock(mutex);
      inside.push_back(name);
      while (std::ranges::find(released, name) == released.end()) changed.Wait(mutex);
      return framework::Status::Success();
    });
    return framework::BindingProgress::Wait();
  }
  size_t Waiting() {
    const MutexLock lock(mutex);
    return inside.size() - released.size();
  }
  // Lets one of those that wait go on, chosen by chance.
  void ReleaseOne(Rng& rng) {
    {
      const MutexLock lock(mutex);
      std::vector<std::string> waiting;
      for (const std::string& name : inside) {
        if (std::ranges::find(released, name) == released.end()) waiting.push_back(name);
      }
      if (waiting.empty()) return;
      released.push_back(waiting[rng.Below(waiting.size())]);
    }
    changed.NotifyAll();
  }

  std::map<std::string, bool> bound;  // by pod; engine thread only
  Mutex mutex;
  CondVar changed;
  std::vector<std::string> inside BERTH_GUARDED_BY(mutex);
  std::vector<std::string> released BERTH_GUARDED_BY(mutex);
};

// The parts of a scheduler, with a work pool that has threads. The test is the engine's thread: it hands the answers
// over in the order of the pods' names, however they arrived.
class OrderedAnswers {
 public:
  explicit OrderedAnswers(uint64_t interleaving) : cluster_(clock_), rng_(interleaving) {
    plans_ = DefaultPlans(registry_);
    PutFirst(registry_, plans_, EntryOf("ShuffledBind", bind_));
    engine_ = scheduler::Engine::Create(plans_, registry_, {}, {&clock_, &inbox_, &home_, &pool_, nullptr}).value();
    home_.Open(inbox_, api::SchedulingKinds());
    engine_->log().SetSink(
        [this](const scheduler::DecisionRecord& record) { log += scheduler::ToLine(record) + "\n"; });
  }
  ~OrderedAnswers() {
    engine_->StopBinding();
    while (bind_->Waiting() > 0) bind_->ReleaseOne(rng_);
    pool_.Close();
  }

  void Run() {
    for (int i = 0; i < 6; ++i) cluster_.AddNode("n" + std::to_string(i), "2");
    for (int wave = 0; wave < 5; ++wave) {
      for (int i = 0; i < 8; ++i) {
        cluster_.AddPod("w" + std::to_string(wave) + "-" + std::to_string(i), {.cpu = "350m"});
      }
      Decide();
      CollectAnswers();
      cluster_.RemovePod("w" + std::to_string(wave) + "-0");
      Decide();
      clock_.Advance(seconds(3));
    }
    Decide();
    CollectAnswers();
  }

  std::string log;

 private:
  void Take() {
    std::vector<scheduler::Message> messages;
    inbox_.Take(messages);
    for (scheduler::Message& message : messages) {
      if (auto* done = std::get_if<scheduler::WorkDone>(&message)) {
        answers_.push_back(*done);
      } else {
        engine_->Handle(message);
      }
    }
  }
  void Decide() {
    bool worked = true;
    while (worked) {
      worked = home_.PumpFeeds();
      Take();
      engine_->Tick();
      worked |= engine_->ScheduleOne();
      engine_->SendCommands();
      worked |= home_.PumpCommands();
    }
  }
  // The calls end in an order of their own; what the store tells of them is heard when all are over.
  void CollectAnswers() {
    const size_t expected = engine_->attempts_under_way();
    ASSERT_TRUE(Eventually([&] {
      bind_->ReleaseOne(rng_);
      Take();
      return answers_.size() == expected;
    }));
    std::ranges::sort(answers_, {}, &scheduler::WorkDone::pod_uid);
    for (const scheduler::WorkDone& answer : answers_) {
      scheduler::Message message = answer;
      engine_->Handle(message);
    }
    answers_.clear();
    Decide();
    EXPECT_EQ(engine_->CheckInvariants(), "");
  }

  ManualClock clock_;
  StoredCluster cluster_;
  Rng rng_;
  framework::Registry registry_ = plugins::InTreeRegistry();
  std::vector<config::ProfilePlan> plans_;
  std::shared_ptr<ShuffledBind> bind_ = std::make_shared<ShuffledBind>();
  scheduler::Inbox inbox_{scheduler::Inbox::kUnbounded};
  home::StoreHome home_{cluster_.store, clock_};
  scheduler::WorkPool pool_{inbox_, 4};
  std::unique_ptr<scheduler::Engine> engine_;
  std::vector<scheduler::WorkDone> answers_;
};

TEST(Determinism, TheOrderInWhichBindingsFinishIsNotSeen) {
  std::string log;
  for (uint64_t interleaving = 1; interleaving <= 5; ++interleaving) {
    OrderedAnswers run(interleaving);
    run.Run();
    ASSERT_GT(std::ranges::count(run.log, '\n'), 30);
    if (log.empty()) log = run.log;
    EXPECT_EQ(run.log, log);
  }
}

}  // namespace
}  // namespace berth::test
