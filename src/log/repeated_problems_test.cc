// SPDX-License-Identifier: Apache-2.0
#include "log/repeated_problems.h"

#include "log/output.h"

#include <algorithm>
#include <sstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace berth::log {
namespace {

class RepeatedProblemsTest : public testing::Test {
 protected:
  int64_t Lines() const {
    const std::string said = stream_.str();
    return std::count(said.begin(), said.end(), '\n');
  }

  std::ostringstream stream_;
  ManualClock clock_;
  Output output_{stream_, clock_, {}};
  Logger log_{output_, "test"};
};

TEST_F(RepeatedProblemsTest, TheFirstOfAKeyIsLoggedTheRestCounted) {
  RepeatedProblems problems;
  EXPECT_TRUE(problems.Report(log_, "pod a", "Pod cannot be read"));
  EXPECT_FALSE(problems.Report(log_, "pod a", "Pod cannot be read"));
  EXPECT_TRUE(problems.Report(log_, "pod b", "Pod cannot be read"));
  EXPECT_FALSE(problems.Report(log_, "pod a", "Pod cannot be read"));
  EXPECT_EQ(Lines(), 2);
  EXPECT_EQ(problems.total(), 4U);
  const auto known = problems.Known();
  ASSERT_EQ(known.size(), 2U);
  EXPECT_EQ(known[0].key, "pod a");
  EXPECT_EQ(known[0].count, 3U);
  EXPECT_EQ(known[1].count, 1U);
}

TEST_F(RepeatedProblemsTest, AProblemThatLastsIsLoggedEverMoreRarely) {
  RepeatedProblems problems;
  std::vector<int> logged;
  for (int i = 1; i <= 1'000; ++i) {
    if (problems.Report(log_, "feed", "Feed was interrupted")) logged.push_back(i);
  }
  EXPECT_EQ(logged, (std::vector<int>{1, 10, 100, 1'000}));
  EXPECT_EQ(Lines(), 4);
}

TEST_F(RepeatedProblemsTest, WhatWasSaidIsKeptForThoseWhoAskLater) {
  RepeatedProblems problems;
  problems.Report(log_, "pod a", "Pod cannot be read", {{"pod", "shop/a"}, {"line", 3}});
  EXPECT_EQ(problems.Known().front().text, "Pod cannot be read pod=\"shop/a\" line=3");
}

TEST_F(RepeatedProblemsTest, AProblemThatIsGoneIsNewsWhenItComesBack) {
  RepeatedProblems problems;
  problems.Report(log_, "a", "A");
  problems.Forget("a");
  problems.Forget("never there");
  EXPECT_TRUE(problems.Known().empty());
  EXPECT_TRUE(problems.Report(log_, "a", "A"));
}

TEST_F(RepeatedProblemsTest, KeysAreForgottenWhenThereAreTooMany) {
  RepeatedProblems problems(2);
  problems.Report(log_, "a", "A");
  problems.Report(log_, "b", "B");
  problems.Report(log_, "a", "A");  // b is now the least recently reported
  problems.Report(log_, "c", "C");
  EXPECT_EQ(problems.Known().size(), 2U);
  EXPECT_FALSE(problems.Report(log_, "a", "A"));
  EXPECT_TRUE(problems.Report(log_, "b", "B"));
}

TEST_F(RepeatedProblemsTest, ThreadsMayReportAtOnce) {
  RepeatedProblems problems;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 300; ++i) problems.Report(log_, i % 2 == 0 ? "even" : "odd", "Problem");
      });
    }
  }
  EXPECT_EQ(Lines(), 6) << "each at its 1st, 10th and 100th of 600";
  EXPECT_EQ(problems.total(), 1200U);
}

}  // namespace
}  // namespace berth::log
