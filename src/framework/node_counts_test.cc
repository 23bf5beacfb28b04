// SPDX-License-Identifier: Apache-2.0
#include "framework/node_counts.h"

#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

TEST(NodeCounts, CountsPerNode) {
  NodeCounts counts;
  EXPECT_EQ(counts.Get(1'000'000), 0);
  counts.Add(3, 2);
  counts.Add(200, 1);
  counts.Add(3, -1);
  EXPECT_EQ(counts.Get(3), 1);
  EXPECT_EQ(counts.Get(4), 0);
  EXPECT_EQ(counts.Get(200), 1);
  EXPECT_EQ(counts.total(), 2);
}

TEST(NodeCounts, VisitsWhatIsNotZeroInOrder) {
  NodeCounts counts;
  for (const NodeId node : {200U, 64U, 63U, 0U}) counts.Add(node, static_cast<int32_t>(node) + 1);
  counts.Add(64, -65);
  std::vector<std::pair<NodeId, int32_t>> seen;
  counts.ForEach([&](NodeId node, int32_t count) { seen.emplace_back(node, count); });
  EXPECT_EQ(seen, (std::vector<std::pair<NodeId, int32_t>>{{0, 1}, {63, 64}, {200, 201}}));
}

TEST(NodeCounts, CopiesGoTheirOwnWay) {
  NodeCounts counts;
  counts.Add(70, 1);
  NodeCounts copy = counts;
  copy.Add(70, 1);
  EXPECT_EQ(counts.Get(70), 1);
  EXPECT_EQ(copy.Get(70), 2);
  counts = copy;
  counts = *&counts;
  EXPECT_EQ(counts.Get(70), 2);
  EXPECT_EQ(counts.total(), 2);
}

TEST(NodeCounts, EqualityLooksAtCountsNotAtBlocks) {
  NodeCounts a;
  NodeCounts b;
  EXPECT_EQ(a, b);
  a.Add(500, 1);
  a.Add(500, -1);
  EXPECT_EQ(a, b);
  a.Add(1, 1);
  b.Add(2, 1);
  EXPECT_FALSE(a == b);
}

}  // namespace
}  // namespace berth::framework
