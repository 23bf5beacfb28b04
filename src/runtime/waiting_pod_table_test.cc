// SPDX-License-Identifier: Apache-2.0
#include "runtime/waiting_pod_table.h"

#include "support/builders.h"

#include <atomic>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::Code;
using framework::Status;
using framework::WaitingPod;

constexpr Duration kLong = std::chrono::minutes(15);

class WaitingPodTableTest : public testing::Test {
 protected:
  void Add(std::string_view name, const std::map<std::string, Duration>& waits) {
    table_.Add(test::MakePod(name).Info(names_), waits);
  }
  bool Waits(std::string_view uid) {
    return table_.With(uid, [](WaitingPod&) {});
  }
  framework::ResourceNames names_;
  ManualClock clock_;
  std::vector<std::string> announced_;
  WaitingPodTable table_{clock_, [this](std::string_view uid) { announced_.emplace_back(uid); }};
};

TEST_F(WaitingPodTableTest, PodsThatDoNotWaitGoOn) {
  EXPECT_TRUE(table_.Take("default/p")->ok());
  EXPECT_FALSE(Waits("default/p"));
}

TEST_F(WaitingPodTableTest, EveryPluginMustAllow) {
  Add("p", {{"A", kLong}, {"B", kLong}});
  std::vector<std::string> pending;
  table_.With("default/p", [&](WaitingPod& pod) {
    EXPECT_EQ(pod.pod()->meta.name, "p");
    pod.Allow("Stranger");
    pod.Allow("A");
    pending = pod.pending_plugins();
  });
  EXPECT_EQ(pending, (std::vector<std::string>{"B"}));
  EXPECT_EQ(table_.Take("default/p"), std::nullopt);
  EXPECT_TRUE(announced_.empty());
  table_.With("default/p", [](WaitingPod& pod) { pod.Allow("B"); });
  EXPECT_EQ(announced_, (std::vector<std::string>{"default/p"}));
  EXPECT_TRUE(table_.Take("default/p")->ok());
  EXPECT_FALSE(Waits("default/p")) << "it is forgotten";
}

TEST_F(WaitingPodTableTest, OneRejectionIsEnough) {
  Add("p", {{"A", kLong}, {"B", kLong}});
  table_.With("default/p", [](WaitingPod& pod) { pod.Reject("B", "preempted"); });
  const Status status = *table_.Take("default/p");
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.Message(), "preempted");
  EXPECT_EQ(status.plugin(), "B");
}

TEST_F(WaitingPodTableTest, TheFirstVerdictStaysAndIsAnnouncedOnce) {
  Add("p", {{"A", kLong}});
  table_.With("default/p", [](WaitingPod& pod) {
    pod.Reject("A", "no");
    pod.Allow("A");
    pod.Reject("A", "never");
  });
  EXPECT_EQ(announced_.size(), 1U);
  EXPECT_EQ(table_.Take("default/p")->Message(), "no");
  Add("p", {{"A", kLong}});
  table_.With("default/p", [](WaitingPod& pod) {
    pod.Allow("A");
    pod.Reject("A", "too late");
  });
  EXPECT_TRUE(table_.Take("default/p")->ok());
}

TEST_F(WaitingPodTableTest, TheShortestWaitEndsIt) {
  Add("p", {{"A", kLong}, {"B", std::chrono::milliseconds(2)}});
  EXPECT_EQ(table_.NextExpiry(), clock_.Now() + std::chrono::milliseconds(2));
  clock_.Advance(std::chrono::milliseconds(1));
  table_.Expire();
  EXPECT_EQ(table_.Take("default/p"), std::nullopt);
  clock_.Advance(std::chrono::milliseconds(1));
  table_.Expire();
  const Status status = *table_.Take("default/p");
  EXPECT_EQ(status.code(), Code::Unschedulable);
  EXPECT_EQ(status.plugin(), "B");
  EXPECT_EQ(status.Message(), "rejected due to timeout after waiting 2ms at plugin B");
}

TEST_F(WaitingPodTableTest, WhoHasAllowedTimesOutNoMore) {
  Add("p", {{"A", std::chrono::milliseconds(50)}, {"B", std::chrono::milliseconds(1)}});
  table_.With("default/p", [](WaitingPod& pod) { pod.Allow("B"); });
  clock_.Advance(std::chrono::milliseconds(49));
  table_.Expire();
  EXPECT_EQ(table_.Take("default/p"), std::nullopt);
  clock_.Advance(std::chrono::milliseconds(1));
  table_.Expire();
  EXPECT_EQ(table_.Take("default/p")->plugin(), "A");
}

TEST_F(WaitingPodTableTest, VisitsAllPods) {
  for (const char* name : {"p", "q", "r"}) Add(name, {{"A", kLong}});
  std::set<std::string> names;
  table_.ForEach([&](WaitingPod& pod) {
    names.insert(pod.pod()->meta.name);
    pod.Allow("A");
  });
  EXPECT_EQ(names, (std::set<std::string>{"p", "q", "r"}));
  for (const char* uid : {"default/p", "default/q", "default/r"}) EXPECT_TRUE(table_.Take(uid)->ok());
  EXPECT_EQ(table_.size(), 0U);
}

TEST(WaitingPodTableThreads, EveryVerdictIsAnnouncedOnce) {
  constexpr int kPods = 24;
  SystemClock clock;
  framework::ResourceNames names;
  std::atomic<int> announced = 0;
  WaitingPodTable table(clock, [&](std::string_view) { ++announced; });
  for (int i = 0; i < kPods; ++i) {
    table.Add(test::MakePod("p" + std::to_string(i)).Info(names), {{"A", kLong}, {"B", kLong}});
  }
  {
    std::vector<std::jthread> threads;
    for (const char* plugin : {"A", "B", "A", "B"}) {
      threads.emplace_back([&, plugin] { table.ForEach([&](WaitingPod& pod) { pod.Allow(plugin); }); });
    }
    threads.emplace_back([&] { table.Expire(); });
  }
  EXPECT_EQ(announced, kPods);
  for (int i = 0; i < kPods; ++i) EXPECT_TRUE(table.Take("default/p" + std::to_string(i))->ok());
}

}  // namespace
}  // namespace berth::runtime
