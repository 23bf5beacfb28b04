// SPDX-License-Identifier: Apache-2.0
#include "framework/verdicts.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

Bitset Nodes(size_t size, std::initializer_list<size_t> members) {
  Bitset nodes(size);
  for (const size_t member : members) nodes.Set(member);
  return nodes;
}

TEST(Verdicts, CandidatesPassUntilRejected) {
  Verdicts verdicts;
  verdicts.Reset(Nodes(70, {1, 2, 65}));
  verdicts.set_plugin("NodePorts");
  const Verdicts::Id no = verdicts.Intern(Status::Unschedulable("no"));
  verdicts.Reject(65, no);
  EXPECT_EQ(verdicts.passing(), Nodes(70, {1, 2}));
  EXPECT_TRUE(verdicts.Of(1).ok());
  EXPECT_EQ(verdicts.Of(65).Message(), "no");
  EXPECT_EQ(verdicts.Of(65).plugin(), "NodePorts");
  EXPECT_TRUE(verdicts.Of(0).ok()) << "was never a candidate";
  EXPECT_FALSE(verdicts.Passes(0));
}

TEST(Verdicts, EqualRejectionsShareAnEntry) {
  Verdicts verdicts;
  verdicts.Reset(Bitset(4, true));
  verdicts.set_plugin("A");
  const Verdicts::Id first = verdicts.Intern(Status::Unschedulable("no"));
  EXPECT_EQ(verdicts.Intern(Status::Unschedulable("no")), first);
  EXPECT_NE(verdicts.Intern(Status::Unresolvable("no")), first);
  EXPECT_NE(verdicts.Intern(Status::Unschedulable("never")), first);
  EXPECT_NE(verdicts.Intern(Status::Unschedulable("no").By("B")), first);
  verdicts.set_plugin("C");
  EXPECT_NE(verdicts.Intern(Status::Unschedulable("no")), first);
  EXPECT_EQ(verdicts.table().size(), 6U);
}

TEST(Verdicts, TheFirstRejectionStays) {
  Verdicts verdicts;
  verdicts.Reset(Bitset(130, true));
  const Verdicts::Id early = verdicts.Intern(Status::Unschedulable("early"));
  const Verdicts::Id late = verdicts.Intern(Status::Unschedulable("late"));
  verdicts.RejectAll(Nodes(130, {0, 63, 64, 129}), early);
  verdicts.RejectOutside(Nodes(130, {1}), late);
  EXPECT_EQ(verdicts.Of(129).Message(), "early");
  EXPECT_EQ(verdicts.Of(128).Message(), "late");
  EXPECT_EQ(verdicts.passing().Count(), 1U);
  verdicts.RejectEverything(late);
  EXPECT_TRUE(verdicts.passing().None());
  EXPECT_EQ(verdicts.Of(0).Message(), "early");
}

TEST(Verdicts, SetsMayBeShorterThanTheCluster) {
  Verdicts verdicts;
  verdicts.Reset(Bitset(130, true));
  const Verdicts::Id no = verdicts.Intern(Status::Unschedulable("no"));
  verdicts.RejectAll(Nodes(10, {3}), no);
  EXPECT_EQ(verdicts.passing().Count(), 129U);
  verdicts.RejectOutside(Nodes(10, {4}), no);
  EXPECT_EQ(verdicts.passing(), Nodes(130, {4}));
}

TEST(Verdicts, RejectWordSparesWhoIsNoCandidate) {
  Verdicts verdicts;
  verdicts.Reset(Nodes(100, {64, 66}));
  const Verdicts::Id no = verdicts.Intern(Status::Unschedulable("no"));
  std::vector<NodeId> asked;
  verdicts.RejectWord(1, 0b111, [&](NodeId node) {
    asked.push_back(node);
    return no;
  });
  EXPECT_EQ(asked, (std::vector<NodeId>{64, 66}));
  EXPECT_TRUE(verdicts.passing().None());
  EXPECT_EQ(verdicts.IdOf(65), Verdicts::kPass);
}

TEST(Verdicts, ReplaceTakesBackOrRejectsAnew) {
  Verdicts verdicts;
  verdicts.Reset(Bitset(2, true));
  verdicts.Reject(0, verdicts.Intern(Status::Unschedulable("no")));
  verdicts.Replace(0, Status::Success());
  EXPECT_TRUE(verdicts.Passes(0));
  EXPECT_TRUE(verdicts.Of(0).ok());
  verdicts.Replace(1, Status::Unresolvable("gone").By("X"));
  EXPECT_FALSE(verdicts.Passes(1));
  EXPECT_EQ(verdicts.Of(1).plugin(), "X");
}

}  // namespace
}  // namespace berth::framework
