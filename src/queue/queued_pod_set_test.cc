// SPDX-License-Identifier: Apache-2.0
#include "queue/queued_pod_set.h"

#include "support/dice.h"

#include <map>
#include <memory>

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

// Hashes collide as often as `spread` is small.
void LiveThrough(uint64_t seed, uint64_t spread) {
  berth::test::Dice dice(seed);
  QueuedPodSet table;
  std::map<uint64_t, std::unique_ptr<QueuedPod>> pods;  // by arrival
  const auto hash = [&](uint64_t arrival) { return arrival % spread * 0x9e3779b97f4a7c15U; };
  const auto find = [&](uint64_t arrival) {
    return table.Find(hash(arrival), [&](const QueuedPod& pod) { return pod.arrival == arrival; });
  };
  for (int step = 0; step < 4000; ++step) {
    const uint64_t arrival = dice.Below(300);
    const auto it = pods.find(arrival);
    ASSERT_EQ(find(arrival), it == pods.end() ? nullptr : it->second.get());
    if (it == pods.end()) {
      auto pod = std::make_unique<QueuedPod>();
      pod->arrival = arrival;
      table.Insert(*pod, hash(arrival));
      pods.emplace(arrival, std::move(pod));
    } else if (dice.Chance(0.2)) {
      auto successor = std::make_unique<QueuedPod>();
      successor->arrival = arrival;
      table.Replace(*it->second, *successor, hash(arrival));
      it->second = std::move(successor);
    } else {
      table.Erase(*it->second, hash(arrival));
      pods.erase(it);
    }
    ASSERT_EQ(table.size(), pods.size());
  }
  size_t visited = 0;
  table.ForEach([&](const QueuedPod& pod) {
    ++visited;
    EXPECT_EQ(pods.at(pod.arrival).get(), &pod);
  });
  EXPECT_EQ(visited, pods.size());
}

TEST(QueuedPodSetTest, HoldsWhatWasPutIn) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    LiveThrough(seed, 1'000'000);
    LiveThrough(seed, 10);
    LiveThrough(seed, 1);
  }
}

}  // namespace
}  // namespace berth::queue
