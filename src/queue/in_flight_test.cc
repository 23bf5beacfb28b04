// SPDX-License-Identifier: Apache-2.0
#include "queue/in_flight.h"

#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

class InFlightTest : public testing::Test {
 protected:
  void Start(std::string_view name) { in_flight_.Start(MakePod(name).Uid(name).Info(names_)); }
  void Note(const EventInterest& event) { in_flight_.Note({event}); }
  // The labels of the events since the pod took off.
  Names Since(std::string_view uid) {
    Names labels;
    in_flight_.Weigh(uid, true, [&](const Happening& happening) {
      labels.push_back(happening.interest.label);
      return Requeueing::Skip;
    });
    return labels;
  }
  static EventInterest Event(const char* label) { return {.label = label, .profiles = {}}; }

  framework::ResourceNames names_;
  const EventInterest a_ = Event("a"), b_ = Event("b"), c_ = Event("c");
  InFlight in_flight_{nullptr};
};

TEST_F(InFlightTest, EventsAreKeptAsLongAsAnOlderPodFlies) {
  Note(a_);
  EXPECT_EQ(in_flight_.events(), 0U);
  Start("p");
  Note(a_);
  Start("q");
  Start("r");
  Note(b_);
  EXPECT_EQ(Since("p"), (Names{"a", "b"}));
  EXPECT_EQ(Since("q"), (Names{"b"}));
  EXPECT_EQ(in_flight_.pods(), 3U);
  in_flight_.Finish("q");
  EXPECT_EQ(in_flight_.events(), 2U) << "p is older";
  in_flight_.Finish("p");
  EXPECT_EQ(in_flight_.events(), 1U) << "r is older than the second";
  Note(c_);
  EXPECT_EQ(Since("r"), (Names{"b", "c"}));
  in_flight_.Finish("r");
  in_flight_.Finish("r");
  EXPECT_EQ(in_flight_.events(), 0U);
  EXPECT_TRUE(in_flight_.empty());
}

TEST_F(InFlightTest, PodsAreFoundByUid) {
  Start("p");
  EXPECT_TRUE(in_flight_.Has("p"));
  EXPECT_FALSE(in_flight_.Has("q"));
  EXPECT_EQ((*in_flight_.Find("p"))->meta.name, "p");
  EXPECT_EQ(in_flight_.Find("q"), nullptr);
  EXPECT_EQ(in_flight_.Weigh("q", false, [](const Happening&) { return Requeueing::Skip; }), std::nullopt);
}

TEST_F(InFlightTest, AskingEndsAsSoonAsNothingCanChangeTheOutcome) {
  using enum Requeueing;
  const struct {
    bool pending;
    std::vector<Requeueing> answers;
    Requeueing expected;
    size_t asked;
  } cases[] = {
      {false, {Skip, Skip, Skip}, Skip, 3},
      {false, {Skip, AfterBackoff, Skip}, AfterBackoff, 2},
      {true, {AfterBackoff, Skip, Skip}, AfterBackoff, 3},
      {true, {AfterBackoff, Immediately, Skip}, Immediately, 2},
      {true, {Immediately, Skip, Skip}, Immediately, 1},
  };
  Start("p");
  for (const EventInterest* event : {&a_, &b_, &c_}) Note(*event);
  for (const auto& c : cases) {
    size_t asked = 0;
    EXPECT_EQ(in_flight_.Weigh("p", c.pending, [&](const Happening&) { return c.answers[asked++]; }), c.expected);
    EXPECT_EQ(asked, c.asked);
  }
}

}  // namespace
}  // namespace berth::queue
