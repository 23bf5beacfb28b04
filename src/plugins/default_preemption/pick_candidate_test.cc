// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/pick_candidate.h"

#include "support/builders.h"

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using test::AtSecond;
using test::MakePod;

struct Victim {
  int32_t priority = 0;
  std::optional<int64_t> started = 0;
};

class PickCandidate : public testing::Test {
 protected:
  // Victims are listed the most important first.
  void Add(std::string name, std::initializer_list<Victim> victims, int64_t pdb_violations = 0) {
    PreemptionCandidate candidate;
    candidate.node_name = std::move(name);
    candidate.pdb_violations = pdb_violations;
    for (const Victim& victim : victims) {
      test::PodBuilder pod = MakePod("v").Priority(victim.priority);
      if (victim.started) pod.Started(*victim.started);
      candidate.victims.push_back(pod.Info(names_));
    }
    candidates_.push_back(std::move(candidate));
  }
  std::vector<std::string> Best() const {
    std::vector<std::string> names;
    for (const PreemptionCandidate* best : BestCandidates(candidates_, AtSecond(1000)))
      names.push_back(best->node_name);
    return names;
  }
  using Names = std::vector<std::string>;
  framework::ResourceNames names_;
  std::vector<PreemptionCandidate> candidates_;
};

TEST_F(PickCandidate, FewestBrokenBudgets) {
  Add("cheap", {{-100, 999}}, 1);
  Add("kept", {{100, 0}, {100, 0}, {100, 0}}, 0);
  EXPECT_EQ(Best(), (Names{"kept"}));
}

TEST_F(PickCandidate, ThenTheLeastImportantTopVictim) {
  Add("high", {{10, 500}});
  Add("low", {{9, 0}, {9, 0}, {9, 0}});
  EXPECT_EQ(Best(), (Names{"low"}));
}

TEST_F(PickCandidate, ThenTheLowestSumOfPriorities) {
  Add("more", {{10}, {5}});
  Add("less", {{10}, {4}});
  EXPECT_EQ(Best(), (Names{"less"}));
}

TEST_F(PickCandidate, NegativePrioritiesDoNotMakeMoreVictimsLookBetter) {
  Add("three", {{-10}, {-10}, {-10}});
  Add("two", {{-10}, {-10}});
  EXPECT_EQ(Best(), (Names{"two"}));
}

TEST_F(PickCandidate, ThenFewestVictims) {
  // Equal sums with unequal numbers take the lowest priority there is: it counts as zero.
  Add("two", {{10}, {INT32_MIN}});
  Add("one", {{10}});
  EXPECT_EQ(Best(), (Names{"one"}));
}

TEST_F(PickCandidate, ThenTheLatestStart) {
  Add("old", {{10, 100}, {5, 900}});
  Add("new", {{10, 200}, {5, 0}});
  EXPECT_EQ(Best(), (Names{"new"})) << "only victims of the highest priority are compared";
}

TEST_F(PickCandidate, TheEarliestOfTheTopVictimsSpeaksForTheNode) {
  Add("mixed", {{10, 900}, {10, 100}});
  Add("even", {{10, 200}, {10, 200}});
  EXPECT_EQ(Best(), (Names{"even"}));
}

TEST_F(PickCandidate, PodsThatHaveNotStartedStartNow) {
  Add("running", {{10, 999}});
  Add("starting", {{10, std::nullopt}});
  EXPECT_EQ(Best(), (Names{"starting"}));
}

TEST_F(PickCandidate, EqualsStayInOrder) {
  Add("b", {{10, 5}});
  Add("a", {{10, 5}});
  Add("c", {{10, 4}});
  EXPECT_EQ(Best(), (Names{"b", "a"}));
}

TEST_F(PickCandidate, OneIsAlwaysTheBest) {
  Add("only", {{1'000'000, 0}}, 7);
  EXPECT_EQ(Best(), (Names{"only"}));
}

}  // namespace
}  // namespace berth::plugins
