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

TEST(Verdicts, ManyRejectionsStayDistinct) {
  Verdicts verdicts;
  verdicts.Reset(Bitset(1, true));
  std::vector<Verdicts::Id> ids;
  const auto nth = [](size_t i) { return Status(Code::Unschedulable, {"reason", std::to_string(i)}); };
  for (const std::string_view plugin : {"A", "B"}) {
    verdicts.set_plugin(plugin);
    for (size_t i = 0; i < 5000; ++i) ids.push_back(verdicts.Intern(nth(i)));
  }
  EXPECT_EQ(verdicts.table().size(), 10'001U);
  for (size_t i = 0; i < ids.size(); ++i) {
    verdicts.set_plugin(i < 5000 ? "A" : "B");
    ASSERT_EQ(verdicts.Intern(nth(i % 5000)), ids[i]);
    ASSERT_EQ(verdicts.table()[ids[i]].reasons(), nth(i % 5000).reasons());
  }
  // The reasons are compared one by one, not as the text they make together.
  EXPECT_NE(verdicts.Intern(Status(Code::Unschedulable, {"reason1"})),
            verdicts.Intern(Status(Code::Unschedulable, {"reason", "1"})));
  verdicts.Reset(Bitset(1, true));
  EXPECT_EQ(verdicts.Intern(nth(4999)), 1U) << "nothing is left of the last pod's";
}

TEST(Verdicts, TooManyRejectionsShareAnEntryPerPluginAndCode) {
  constexpr size_t kNodes = 70'000;
  Verdicts verdicts;
  verdicts.Reset(Bitset(kNodes, true));
  verdicts.set_plugin("A");
  for (size_t i = 0; i < kNodes; ++i) {
    verdicts.Reject(static_cast<NodeId>(i), verdicts.Intern(Status::Unschedulable("node " + std::to_string(i))));
  }
  EXPECT_EQ(verdicts.Of(0).Message(), "node 0");
  EXPECT_EQ(verdicts.Of(Verdicts::kMaxDistinct - 1).Message(), "node 63999");
  const Status& shared = verdicts.Of(kNodes - 1);
  EXPECT_EQ(shared.Message(), Verdicts::kTooManyReasons);
  EXPECT_EQ(shared.plugin(), "A");
  EXPECT_EQ(verdicts.IdOf(kNodes - 1), verdicts.IdOf(Verdicts::kMaxDistinct));
  EXPECT_EQ(verdicts.Counts()[verdicts.IdOf(kNodes - 1)], kNodes - Verdicts::kMaxDistinct);

  // Preemption goes by the code, and who rejected the pod decides what wakes it: both are still told apart.
  const Verdicts::Id hopeless = verdicts.Intern(Status::Unresolvable("never"));
  EXPECT_EQ(verdicts.table()[hopeless].code(), Code::UnschedulableAndUnresolvable);
  EXPECT_EQ(verdicts.table()[hopeless].Message(), Verdicts::kTooManyReasons);
  const Verdicts::Id of_other = verdicts.Intern(Status::Unschedulable("no").By("B"));
  EXPECT_EQ(verdicts.table()[of_other].plugin(), "B");
  EXPECT_EQ(verdicts.Intern(Status::Unschedulable("node 5")), verdicts.IdOf(5)) << "those entered before are found";
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
