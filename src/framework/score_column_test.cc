// SPDX-License-Identifier: Apache-2.0
#include "framework/score_column.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

// Scores of nodes 1, 2, 3, … in a cluster that has a vacant node 0 as well.
class Scores {
 public:
  explicit Scores(std::vector<int64_t> scores) {
    for (size_t i = 0; i < scores.size(); ++i) feasible_.push_back(static_cast<NodeId>(i + 1));
    column.Reset(scores.size() + 1, feasible_);
    for (size_t i = 0; i < scores.size(); ++i) column.MutableValues()[i + 1] = scores[i];
    column.MutableValues()[0] = -12345;  // means nothing and must not matter
  }
  std::vector<int64_t> Get() const {
    std::vector<int64_t> scores;
    for (const NodeId node : feasible_) scores.push_back(column.Get(node));
    return scores;
  }
  ScoreColumn column;

 private:
  std::vector<NodeId> feasible_;
};

std::vector<int64_t> Normalized(std::vector<int64_t> scores, bool reverse) {
  Scores column(std::move(scores));
  DefaultNormalize(column.column, reverse);
  return column.Get();
}

using List = std::vector<int64_t>;

TEST(ScoreColumn, StartsAtZero) {
  const std::vector<NodeId> feasible = {0, 2};
  ScoreColumn column;
  column.Reset(3, feasible);
  EXPECT_TRUE(column.is_uniform());
  EXPECT_EQ(column.Get(2), 0);
  column.SetAll(7);
  EXPECT_EQ(column.MutableValues()[2], 7) << "one number becomes many";
  EXPECT_FALSE(column.is_uniform());
  column.MutableValues()[0] = 9;
  EXPECT_EQ(column.Get(0), 9);
  column.Reset(3, feasible);
  EXPECT_EQ(column.Get(0), 0) << "used again";
}

TEST(ScoreColumn, NormalizesToAHundred) {
  EXPECT_EQ(Normalized({0, 3, 7, 10}, false), (List{0, 30, 70, 100}));
  EXPECT_EQ(Normalized({1, 3}, false), (List{33, 100}));
  EXPECT_EQ(Normalized({0, 0}, false), (List{0, 0}));
}

TEST(ScoreColumn, NormalizesInReverse) {
  EXPECT_EQ(Normalized({0, 1, 3}, true), (List{100, 67, 0}));
  EXPECT_EQ(Normalized({0, 0}, true), (List{100, 100}));
}

TEST(ScoreColumn, NormalizesOneNumberForAll) {
  const std::vector<NodeId> feasible = {0, 1};
  ScoreColumn column;
  for (const auto& [raw, reverse, expected] : {std::tuple{int64_t{5}, false, int64_t{100}},
                                               {int64_t{5}, true, int64_t{0}},
                                               {int64_t{0}, true, int64_t{100}},
                                               {int64_t{0}, false, int64_t{0}}}) {
    column.Reset(2, feasible);
    column.SetAll(raw);
    DefaultNormalize(column, reverse);
    EXPECT_TRUE(column.is_uniform());
    EXPECT_EQ(column.Get(1), expected);
  }
}

TEST(ScoreColumn, TransformsEveryScore) {
  // More distinct scores than are remembered, some of them in one place of the memory, negative ones included.
  List scores;
  List expected;
  for (int64_t i = -100; i < 200; ++i) {
    scores.push_back(i % 3 == 0 ? i * 64 : i);
    expected.push_back(scores.back() * 2 + 1);
  }
  Scores column(scores);
  TransformScores(column.column, [](int64_t score) { return score * 2 + 1; });
  EXPECT_EQ(column.Get(), expected);
}

}  // namespace
}  // namespace berth::framework
