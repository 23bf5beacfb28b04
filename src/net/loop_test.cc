// SPDX-License-Identifier: Apache-2.0
#include "net/loop.h"

#include "net/test_loop_thread.h"

#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

TEST(Loop, PostedCallsRunInOrderOnTheThreadThatRunsIt) {
  Loop loop;
  std::vector<int> order;
  std::thread poster([&] {
    for (int i = 0; i < 100; ++i) loop.Post([&order, i] { order.push_back(i); });
    loop.Post([&] { loop.Stop(); });
  });
  loop.Run();
  poster.join();
  ASSERT_EQ(order.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<size_t>(i)], i);
}

TEST(Loop, StopEndsARunThatHasNotBegun) {
  Loop loop;
  bool called = false;
  loop.Post([&] { called = true; });
  loop.Stop();
  loop.Run();
  EXPECT_FALSE(called);
}

TEST(Loop, TimersGoOffInTheOrderOfTheirTimes) {
  Loop loop;
  std::vector<int> order;
  loop.Post([&] {
    loop.After(std::chrono::milliseconds(20), [&] {
      order.push_back(3);
      loop.Stop();
    });
    loop.After(std::chrono::milliseconds(10), [&] { order.push_back(2); });
    loop.After(Duration::zero(), [&] { order.push_back(1); });
  });
  loop.Run();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(Loop, ATimerDoesNotGoOffEarly) {
  Loop loop;
  Duration begun = {};
  Duration gone_off = {};
  loop.Post([&] {
    begun = loop.Now();
    loop.After(std::chrono::milliseconds(5), [&] {
      gone_off = loop.Now();
      loop.Stop();
    });
  });
  loop.Run();
  EXPECT_GE(gone_off - begun, std::chrono::milliseconds(5));
}

TEST(Loop, ACancelledTimerStaysSilent) {
  Loop loop;
  bool called = false;
  loop.Post([&] {
    const auto first = loop.After(std::chrono::milliseconds(1), [&] { called = true; });
    loop.After(std::chrono::milliseconds(10), [&] { loop.Stop(); });
    loop.Cancel(first);
    loop.Cancel(first);
    loop.Cancel(0);
  });
  loop.Run();
  EXPECT_FALSE(called);
}

TEST(Loop, ATimerMayCancelItselfAndSetTheNext) {
  Loop loop;
  int rounds = 0;
  Loop::TimerId timer = 0;
  std::function<void()> round = [&] {
    loop.Cancel(timer);
    if (++rounds == 3) return loop.Stop();
    timer = loop.After(Duration::zero(), round);
  };
  loop.Post([&] { timer = loop.After(Duration::zero(), round); });
  loop.Run();
  EXPECT_EQ(rounds, 3);
}

TEST(Loop, AnEndlessDelayDoesNotOverflow) {
  Loop loop;
  bool called = false;
  loop.Post([&] {
    loop.After(Duration::max(), [&] { called = true; });
    loop.After(std::chrono::milliseconds(1), [&] { loop.Stop(); });
  });
  loop.Run();
  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace berth::net
