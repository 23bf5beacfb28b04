// SPDX-License-Identifier: Apache-2.0
#include "plugins/pod_topology_spread/constraint.h"

#include "support/builders.h"
#include "support/test_bed.h"

#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace berth::plugins::spread {
namespace {

using api::UnsatisfiableAction;

// Pods of one template share their spec, and what was found for one of them serves the others.
class Found : public testing::Test {
 protected:
  Found() : bed_(test::DefaultTestBed()), source_({}, bed_->profile()) {
    spec_.topology_spread_constraints.resize(2);
    for (api::TopologySpreadConstraint& constraint : spec_.topology_spread_constraints) {
      constraint.topology_key = "zone";
      constraint.label_selector = api::LabelSelector{{{"app", "web"}}, {}};
    }
    spec_.topology_spread_constraints[1].when_unsatisfiable = UnsatisfiableAction::ScheduleAnyway;
  }
  // Finds anew and in the memory of last time; both must agree.
  const std::vector<Constraint>& Find(const api::Pod& pod, UnsatisfiableAction action) {
    FoundConstraints anew;
    EXPECT_TRUE(source_.Find(pod, action, anew));
    EXPECT_TRUE(source_.Find(pod, action, found_));
    EXPECT_EQ(anew.list.size(), found_.list.size());
    for (size_t i = 0; i < std::min(anew.list.size(), found_.list.size()); ++i) {
      EXPECT_EQ(anew.list[i].counted, found_.list[i].counted);
    }
    return found_.list;
  }
  api::Pod Pod(const std::string& ns, const std::string& version) const {
    api::Pod pod = *test::MakePod(ns + "/pod").Label("version", version).Build();
    pod.spec = shared_;
    return pod;
  }
  void ShareSpec() { shared_ = std::make_shared<const api::PodSpec>(spec_); }

  std::unique_ptr<test::TestBed> bed_;
  ConstraintSource source_;
  api::PodSpec spec_;
  std::shared_ptr<const api::PodSpec> shared_;
  FoundConstraints found_;
};

TEST_F(Found, IsKeptForPodsOfTheSameTemplate) {
  ShareSpec();
  Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule);
  const void* before = found_.list.data();
  found_.list[0].max_skew = 42;  // shows that nothing is parsed again
  EXPECT_EQ(Find(Pod("a", "2"), UnsatisfiableAction::DoNotSchedule)[0].max_skew, 42);
  EXPECT_EQ(found_.list.data(), before);
}

TEST_F(Found, FollowsTheNamespaceAndTheAction) {
  ShareSpec();
  for (const char* ns : {"a", "b", "a"}) {
    const auto& hard = Find(Pod(ns, "1"), UnsatisfiableAction::DoNotSchedule);
    ASSERT_EQ(hard.size(), 1U);
    EXPECT_EQ(hard[0].counted.namespaces, (std::vector<std::string>{ns}));
    EXPECT_EQ(Find(Pod(ns, "1"), UnsatisfiableAction::ScheduleAnyway).size(), 1U);
  }
}

TEST_F(Found, FollowsTheLabelsThatConstraintsName) {
  spec_.topology_spread_constraints[0].match_label_keys = {"version"};
  ShareSpec();
  const std::string first = Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule)[0].counted.selector.ToString();
  const std::string second = Find(Pod("a", "2"), UnsatisfiableAction::DoNotSchedule)[0].counted.selector.ToString();
  EXPECT_EQ(first, "app=web,version=1");
  EXPECT_EQ(second, "app=web,version=2");
}

TEST_F(Found, IsForgottenByPodsWithoutConstraints) {
  ShareSpec();
  Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule);
  EXPECT_TRUE(Find(*test::MakePod("a/plain").Build(), UnsatisfiableAction::DoNotSchedule).empty());
  EXPECT_EQ(Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule).size(), 1U);
}

TEST_F(Found, ForgetsAfterAFailure) {
  ShareSpec();
  Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule);
  api::Pod good = Pod("a", "1");
  spec_.topology_spread_constraints[0].label_selector = api::LabelSelector{{}, {{"app", "Wrong", {}}}};
  ShareSpec();
  EXPECT_FALSE(source_.Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule, found_));
  EXPECT_FALSE(source_.Find(Pod("a", "1"), UnsatisfiableAction::DoNotSchedule, found_));
  EXPECT_EQ(Find(good, UnsatisfiableAction::DoNotSchedule).size(), 1U);
}

}  // namespace
}  // namespace berth::plugins::spread
