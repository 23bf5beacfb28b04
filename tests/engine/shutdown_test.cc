// SPDX-License-Identifier: Apache-2.0
// A scheduler that ends in the middle of its work, and another that finishes it.
#include "engine/engine_checks.h"
#include "engine/history_audit.h"
#include "engine/running_cluster.h"
#include "engine/test_plugins.h"
#include "support/faulty_store.h"
#include "support/sanitizers.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr size_t kPods = kUnderSanitizer ? 500 : 2'000;

// Who begins while the pods come, and ends when so many are bound.
class Shutdown : public testing::Test {
 protected:
  Shutdown() {
    flaky_.Wrap(cluster_.store);
    cluster_.AddNodes(50, "8");
  }
  size_t Bound() const { return cluster_.Pods().size() - cluster_.UnboundPods(); }
  void FinishWithAnother() {
    const auto scheduler = cluster_.NewScheduler();
    scheduler->Start();
    EXPECT_TRUE(Eventually([&] { return cluster_.AllBound(); }));
    EXPECT_TRUE(Eventually([&] { return DisagreementsOf(*scheduler, cluster_).empty(); }))
        << DisagreementsOf(*scheduler, cluster_);
    scheduler->Stop();
    EXPECT_EQ(audit_.Problems(), "");
    EXPECT_EQ(audit_.bindings(), kPods);
  }

  RunningCluster cluster_;
  FaultyStore flaky_;
  HistoryAudit audit_{cluster_.store};
};

TEST_F(Shutdown, WhatAStoppedSchedulerLeavesAnotherFinishes) {
  Rng rng(3);
  cluster_.AddPods("p", kPods, {.cpu = "100m"});
  flaky_.Set({.slow_request = 1, .delay = microseconds(500)});
  for (int round = 0; round < 4; ++round) {
    scheduler::SchedulerOptions options;
    options.store.max_batch = 16;
    const auto scheduler = cluster_.NewScheduler(options, &flaky_);
    const size_t target = Bound() + rng.Below(kPods / 8);
    scheduler->Start();
    EXPECT_TRUE(Eventually([&] { return Bound() >= std::min(target, kPods); }));
    scheduler->Stop();
    const size_t bound = Bound();
    scheduler->Stop();
    EXPECT_EQ(Bound(), bound) << "a stopped scheduler does nothing";
    EXPECT_EQ(scheduler->engine().CheckInvariants(), "");
  }
  FinishWithAnother();
}

TEST_F(Shutdown, DestructionIsAStop) {
  cluster_.AddPods("p", kPods, {.cpu = "100m"});
  for (int round = 0; round < 4; ++round) {
    const auto scheduler = cluster_.NewScheduler();
    scheduler->Start();
    if (round % 2 == 0) {
      EXPECT_TRUE(Eventually([&] { return Bound() > 0; }));
    }
  }
  FinishWithAnother();
}

TEST_F(Shutdown, WhileTheStoreFails) {
  cluster_.AddPods("p", kPods, {.cpu = "100m"});
  flaky_.Set({.unavailable_write = 3, .lost_request = 5, .lost_answer = 5, .unavailable_read = 5, .cut_watch = 5});
  for (int round = 0; round < 4; ++round) {
    const auto scheduler = cluster_.NewScheduler({}, &flaky_);
    scheduler->Start();
    EXPECT_TRUE(Eventually([&] { return scheduler->home().FeedProgress() > 0; }));
  }
  FinishWithAnother();
}

TEST_F(Shutdown, BeforeAnythingWasHeard) {
  cluster_.AddPods("p", kPods, {.cpu = "100m"});
  for (int round = 0; round < 10; ++round) {
    const auto scheduler = cluster_.NewScheduler();
    scheduler->Start();
    scheduler->Stop();
    scheduler->Stop();
  }
  const auto never_started = cluster_.NewScheduler();
  never_started->Stop();
  FinishWithAnother();
}

// Pods still pour in, and more changes are on their way than the inbox takes.
TEST_F(Shutdown, InTheMiddleOfABurst) {
  std::jthread source([&] { cluster_.AddPods("p", kPods, {.cpu = "100m"}, 7); });
  for (int round = 0; round < 5; ++round) {
    const size_t before = Bound();
    const auto scheduler = cluster_.NewScheduler();
    scheduler->Start();
    EXPECT_TRUE(Eventually([&] { return Bound() > before || Bound() == kPods; }));
  }
  source.join();
  FinishWithAnother();
}

// Who asks while the scheduler ends gets an answer: from the engine's thread, or from his own.
TEST_F(Shutdown, QuestionsAreAnsweredToTheEnd) {
  cluster_.AddPods("p", kPods, {.cpu = "100m"});
  for (int round = 0; round < 20; ++round) {
    const auto scheduler = cluster_.NewScheduler();
    scheduler->Start();
    std::atomic<bool> done = false;
    std::atomic<uint64_t> answers = 0;
    std::vector<std::jthread> askers;
    for (int i = 0; i < 3; ++i) {
      askers.emplace_back([&] {
        while (!done) scheduler->Ask([&](scheduler::Engine& engine) { answers += engine.synced() ? 1 : 2; });
      });
    }
    EXPECT_TRUE(Eventually([&] { return answers > 0; }));
    scheduler->Stop();
    const uint64_t so_far = answers;
    EXPECT_TRUE(Eventually([&] { return answers > so_far; })) << "a stopped scheduler can still be asked";
    done = true;
  }
  FinishWithAnother();
}

}  // namespace
}  // namespace berth::test
