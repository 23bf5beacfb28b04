// SPDX-License-Identifier: Apache-2.0
#include "queue/pod_line.h"

#include "support/dice.h"

#include <algorithm>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

struct ByKey {
  bool operator()(const QueuedPod& a, const QueuedPod& b) const {
    return a.attempts != b.attempts ? a.attempts < b.attempts : a.arrival < b.arrival;
  }
};

// Pushes and takes at random; `key` says what order pods arrive in. The line must always know the first.
void LiveThrough(uint64_t seed, const std::function<int(test::Dice&, int)>& key) {
  berth::test::Dice dice(seed);
  PodLine<ByKey> line((ByKey()));
  std::vector<std::unique_ptr<QueuedPod>> pods;
  const auto first = [&] {
    const auto it =
        std::min_element(pods.begin(), pods.end(), [](const auto& a, const auto& b) { return ByKey()(*a, *b); });
    return it == pods.end() ? nullptr : it->get();
  };
  for (int step = 0; step < 3000; ++step) {
    const bool growing = step < 1500;
    if (dice.Chance(growing ? 0.7 : 0.3)) {
      pods.push_back(std::make_unique<QueuedPod>());
      pods.back()->attempts = key(dice, step);
      pods.back()->arrival = static_cast<uint64_t>(step);
      line.Push(*pods.back());
    } else if (!pods.empty()) {
      size_t index = dice.Below(pods.size());
      if (dice.Chance(0.6)) {
        index = static_cast<size_t>(
            std::find_if(pods.begin(), pods.end(), [&](const auto& pod) { return pod.get() == line.First(); }) -
            pods.begin());
      }
      line.Erase(*pods.at(index));
      pods.erase(pods.begin() + static_cast<std::ptrdiff_t>(index));
    }
    ASSERT_EQ(line.size(), pods.size());
    ASSERT_EQ(line.empty(), pods.empty());
    if (dice.Chance(0.5)) {
      ASSERT_EQ(line.First(), first()) << "step " << step;
    }
  }
}

TEST(PodLineTest, TheFirstIsKnownWhateverTheOrderOfArrival) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    LiveThrough(seed, [](auto&, int step) { return step; });
    LiveThrough(seed, [](auto&, int step) { return -step; });
    LiveThrough(seed, [](auto& dice, int) { return dice.Between(0, 1'000'000); });
    LiveThrough(seed, [](auto& dice, int step) { return dice.Between(0, 4) * 10'000 + step; });
    LiveThrough(seed, [](auto& dice, int step) { return step + dice.Between(-50, 50); });
    LiveThrough(seed, [](auto&, int) { return 7; });
  }
}

TEST(PodLineTest, AnEmptyLineHasNoFirst) {
  PodLine<ByKey> line((ByKey()));
  EXPECT_EQ(line.First(), nullptr);
  QueuedPod pod;
  line.Push(pod);
  EXPECT_EQ(line.First(), &pod);
  line.Erase(pod);
  EXPECT_EQ(line.First(), nullptr);
  EXPECT_TRUE(line.empty());
}

}  // namespace
}  // namespace berth::queue
