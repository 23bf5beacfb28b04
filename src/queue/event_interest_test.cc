// SPDX-License-Identifier: Apache-2.0
#include "queue/event_interest.h"

#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

framework::ClusterEventWithHint Registered(EventResource resource, uint32_t actions, bool by_template = false) {
  return {{resource, actions},
          [](const framework::PodInfo&, const api::Object*, const api::Object*) -> Result<QueueingHint> {
            return QueueingHint::Queue;
          },
          by_template};
}

std::vector<QueueProfile> Profiles() {
  return {
      {"first",
       {{"Fit", nullptr, {Registered(EventResource::Node, framework::kAdd), Registered(EventResource::Pod, 0x3fff)}},
        {"Gates", nullptr, {}},
        {"Any", nullptr, {{{EventResource::WildCard, framework::kDelete}, nullptr}}}}},
      {"second", {{"Gates", nullptr, {Registered(EventResource::Node, framework::kAdd, /*by_template=*/true)}}}},
  };
}

Names PluginsIn(const EventInterest& interest, const std::vector<QueueProfile>& profiles, size_t profile) {
  Names names;
  for (const auto& registration : interest.profiles[profile].registrations) {
    names.push_back(profiles[profile].plugins[registration.plugin].name);
  }
  return names;
}

TEST(EventInterestTest, ThoseWhoRegisteredAreFoundPerProfile) {
  const std::vector<QueueProfile> profiles = Profiles();
  EventInterestTable table(profiles);
  const struct {
    ClusterEvent event;
    Names first, second;
    const char* label;
  } cases[] = {
      {kNodeAdd, {"Fit"}, {"Gates"}, "NodeAdd"},
      {kPodDelete, {"Fit", "Any"}, {}, "AssignedPodDelete"},
      {{EventResource::UnschedulablePod, framework::kUpdate}, {"Fit"}, {}, "UnschedulablePodUpdate"},
      {{EventResource::Node, framework::kDelete}, {"Any"}, {}, "NodeDelete"},
      {{EventResource::Node, framework::kUpdateNodeLabel}, {}, {}, "NodeUpdateNodeLabel"},
  };
  for (const auto& c : cases) {
    const EventInterest& interest = table.Of(c.event);
    EXPECT_EQ(PluginsIn(interest, profiles, 0), c.first) << c.label;
    EXPECT_EQ(PluginsIn(interest, profiles, 1), c.second) << c.label;
    EXPECT_EQ(interest.anyone, !c.first.empty() || !c.second.empty()) << c.label;
    EXPECT_EQ(interest.label, c.label);
    EXPECT_FALSE(interest.wildcard);
    EXPECT_EQ(&table.Of(c.event), &interest) << "worked out once";
  }
}

TEST(EventInterestTest, GatesShareTheEventsOfTheirNameInOtherProfiles) {
  const std::vector<QueueProfile> profiles = Profiles();
  EventInterestTable table(profiles);
  const EventInterest& interest = table.Of(kNodeAdd);
  EXPECT_EQ(interest.profiles[0].gates, PluginBits(0b011));
  EXPECT_EQ(interest.profiles[0].plugins, PluginBits(0b001));
  EXPECT_EQ(interest.profiles[1].gates, PluginBits(0b001));
}

TEST(EventInterestTest, WithoutAHintTheTemplateIsEnough) {
  const std::vector<QueueProfile> profiles = Profiles();
  EventInterestTable table(profiles);
  EXPECT_FALSE(table.Of(kNodeAdd).profiles[0].registrations.at(0).by_template);
  EXPECT_TRUE(table.Of(kNodeAdd).profiles[1].registrations.at(0).by_template);
  const auto& hintless = table.Of({EventResource::Node, framework::kDelete}).profiles[0].registrations.at(0);
  EXPECT_TRUE(hintless.by_template);
  EXPECT_EQ(hintless.hint, nullptr);
}

TEST(EventInterestTest, WildCardsMeanEveryone) {
  const std::vector<QueueProfile> profiles = Profiles();
  EventInterestTable table(profiles);
  for (const EventInterest* interest :
       {&table.Of(kWildCard), &table.force_activate(), &table.unschedulable_timeout()}) {
    EXPECT_TRUE(interest->wildcard && interest->anyone) << interest->label;
    EXPECT_EQ(interest->profiles.size(), 2U);
  }
  EXPECT_EQ(table.force_activate().label, "ForceActivate");
  EXPECT_EQ(table.unschedulable_timeout().label, "UnschedulableTimeout");
}

TEST(EventInterestTest, CustomKindsHaveTheirOwnListeners) {
  const auto registered = [](std::string_view kind) {
    return framework::ClusterEventWithHint{{EventResource::Custom, framework::kAll, kind}, nullptr};
  };
  const std::vector<QueueProfile> profiles = {
      {"only",
       {{"A", nullptr, {registered("Tenant.example.com")}}, {"B", nullptr, {registered("Quota.example.com")}}}}};
  EventInterestTable table(profiles);
  const auto added = [&](std::string_view kind) -> const EventInterest& {
    return table.Of({EventResource::Custom, framework::kAdd, kind});
  };
  EXPECT_EQ(PluginsIn(added("Tenant.example.com"), profiles, 0), Names{"A"});
  EXPECT_EQ(PluginsIn(added("Quota.example.com"), profiles, 0), Names{"B"});
  EXPECT_FALSE(added("Other.example.com").anyone);
  EXPECT_EQ(&added("Tenant.example.com"), &added("Tenant.example.com")) << "worked out once";
}

}  // namespace
}  // namespace berth::queue
