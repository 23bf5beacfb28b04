// SPDX-License-Identifier: Apache-2.0
#include "runtime/profile.h"

#include "support/builders.h"
#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

using framework::ExtensionPoint;
using framework::Status;
using test::FakeFilter;
using test::Log;
using test::TestBed;

struct Gate final : framework::PreEnqueuePlugin {
  explicit Gate(Status its_verdict) : verdict(std::move(its_verdict)) {}
  Status PreEnqueue(const api::Pod&) const override { return verdict; }
  Status verdict;
};

struct ByName final : framework::QueueSortPlugin {
  bool Less(const framework::QueuedPodInfo& a, const framework::QueuedPodInfo& b) const override {
    return a.pod->pod->meta.name < b.pod->pod->meta.name;
  }
};

struct NeverBuilt final : framework::FilterPlugin {
  static Result<std::shared_ptr<NeverBuilt>> Create(const framework::PluginArgs*, framework::Handle&) {
    return InvalidError("shape is missing");
  }
  Status Filter(const framework::CycleState&, const framework::PodInfo&, const framework::NodeInfo&) const override {
    return {};
  }
};

Result<std::unique_ptr<Profile>> Build(config::ProfilePlan plan, const framework::Registry& registry) {
  static TestBed bed;
  return Profile::Build(std::move(plan), registry, {.cluster = &bed.cluster, .resource_names = &bed.names});
}

TEST(Profile, BuildsAPluginOnceForAllItsPoints) {
  Log log;
  int built = 0;
  const framework::PluginEntry fake = test::Fake("A", std::make_shared<FakeFilter>("A", log));
  const framework::Registry registry(
      {{"A", fake.points, [&](const framework::PluginArgs* args, framework::Handle& handle) {
          ++built;
          return fake.make(args, handle);
        }}});
  const auto profile = Build(test::PlanOf(registry), registry);
  ASSERT_TRUE(profile.has_value());
  EXPECT_EQ(built, 1);
  EXPECT_EQ((*profile)->plugins().NamesAt(ExtensionPoint::Filter), (std::vector<std::string_view>{"A"}));
  EXPECT_TRUE((*profile)->plugins().NamesAt(ExtensionPoint::Score).empty());
  EXPECT_NE((*profile)->plugins().Find("A"), nullptr);
  EXPECT_EQ((*profile)->plugins().Find("B"), nullptr);
}

TEST(Profile, NamesThePluginThatIsMissingOrBroken) {
  const framework::Registry registry({framework::Entry<NeverBuilt>("NeverBuilt")});
  config::ProfilePlan plan;
  plan.at(ExtensionPoint::Score).push_back({"Unknown", 1});
  const auto missing = Build(plan, registry);
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().message, "ScorePlugin \"Unknown\" does not exist");

  const auto broken = Build(test::PlanOf(registry), registry);
  ASSERT_FALSE(broken.has_value());
  EXPECT_EQ(broken.error().message, "initializing plugin \"NeverBuilt\": shape is missing");
}

TEST(Profile, TheFirstGateHoldsThePod) {
  const framework::Registry registry({test::Fake("Open", std::make_shared<Gate>(Status())),
                                      test::Fake("Shut", std::make_shared<Gate>(Status::Unresolvable("wait"))),
                                      test::Fake("Later", std::make_shared<Gate>(Status::Unresolvable("later")))});
  const auto profile = Build(test::PlanOf(registry), registry);
  const Status status = (*profile)->RunPreEnqueue(*test::MakePod("p").Build());
  EXPECT_EQ(status.plugin(), "Shut");
  EXPECT_EQ(status.Message(), "wait");
}

TEST(Profile, OnePluginSortsTheQueue) {
  framework::ResourceNames names;
  const framework::Registry registry({framework::Entry<ByName>("ByName")});
  const auto profile = Build(test::PlanOf(registry), registry);
  const framework::QueuedPodInfo a{test::MakePod("a").Info(names), {}, 0};
  const framework::QueuedPodInfo b{test::MakePod("b").Info(names), {}, 0};
  EXPECT_TRUE((*profile)->QueueSortLess(a, b));
  EXPECT_FALSE((*profile)->QueueSortLess(b, a));
}

}  // namespace
}  // namespace berth::runtime
