// SPDX-License-Identifier: Apache-2.0
#include "scheduler/queue_profiles.h"

#include "support/fake_plugins.h"
#include "support/test_bed.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

using framework::ClusterEventWithHint;
using framework::EventResource;
using Plugin = queue::QueueProfile::Plugin;

ClusterEventWithHint Registered(EventResource resource, uint32_t actions) {
  return {
      .event = {resource, actions},
      .hint = [](const framework::PodInfo&, const api::Object*, const api::Object*) -> Result<framework::QueueingHint> {
        return framework::QueueingHint::QueueSkip;
      },
      .by_template = true};
}

struct Chooser final : framework::FilterPlugin, framework::EnqueueExtensions {
  explicit Chooser(std::vector<ClusterEventWithHint> its_events) : events(std::move(its_events)) {}
  framework::Status Filter(const framework::CycleState&, const framework::PodInfo&,
                           const framework::NodeInfo&) const override {
    return {};
  }
  std::vector<ClusterEventWithHint> EventsToRegister() const override { return events; }
  std::vector<ClusterEventWithHint> events;
};

struct Gate final : framework::PreEnqueuePlugin {
  framework::Status PreEnqueue(const api::Pod&) const override { return {}; }
};

// The queue's view of a profile with this plugin alone.
template <typename P>
std::vector<Plugin> PluginsWith(const std::shared_ptr<P>& plugin) {
  framework::Registry registry;
  BERTH_CHECK(registry.Add(test::Fake("It", plugin)).has_value());
  test::TestBed bed;
  return QueueProfileOf(bed.AddProfile(test::PlanOf(registry), registry)).plugins;
}

std::vector<ClusterEventWithHint> EventsOf(std::vector<ClusterEventWithHint> registered) {
  return PluginsWith(std::make_shared<Chooser>(std::move(registered))).front().events;
}

TEST(QueueProfiles, WhoWaitsForNewNodesIsWokenByTaints) {
  const auto events = EventsOf({Registered(EventResource::Node, framework::kAdd | framework::kUpdateNodeLabel)});
  ASSERT_EQ(events.size(), 2U);
  EXPECT_TRUE(events[0].hint);
  EXPECT_EQ(events[1].event.resource, EventResource::Node);
  EXPECT_EQ(events[1].event.actions, framework::kUpdateNodeTaint);
  EXPECT_FALSE(events[1].hint);
}

TEST(QueueProfiles, NothingIsAddedWhereTaintsAreRegisteredOrNewNodesAreNot) {
  EXPECT_EQ(EventsOf({Registered(EventResource::Node, framework::kAdd | framework::kUpdateNodeTaint)}).size(), 1U);
  EXPECT_EQ(
      EventsOf({Registered(EventResource::Node, framework::kAdd), Registered(EventResource::Node, framework::kUpdate)})
          .size(),
      2U);
  EXPECT_EQ(EventsOf({Registered(EventResource::Node, framework::kUpdateNodeLabel)}).size(), 1U);
  EXPECT_EQ(EventsOf({Registered(EventResource::Pod, framework::kAdd)}).size(), 1U);
}

TEST(QueueProfiles, AnEmptyListIsRespected) { EXPECT_TRUE(EventsOf({}).empty()); }

TEST(QueueProfiles, WhoDoesNotSayIsWokenByEverything) {
  test::Log log;
  const std::vector<Plugin> plugins = PluginsWith(std::make_shared<test::FakeFilter>("It", log));
  ASSERT_EQ(plugins.size(), 1U);
  std::set<EventResource> resources;
  for (const ClusterEventWithHint& registered : plugins[0].events) {
    EXPECT_EQ(registered.event.actions, framework::kAll);
    EXPECT_FALSE(registered.hint);
    resources.insert(registered.event.resource);
  }
  EXPECT_EQ(resources, (std::set<EventResource>{EventResource::Pod, EventResource::Node,
                                                EventResource::PersistentVolume, EventResource::PersistentVolumeClaim,
                                                EventResource::CsiNode, EventResource::CsiDriver,
                                                EventResource::CsiStorageCapacity, EventResource::StorageClass,
                                                EventResource::ResourceClaim, EventResource::DeviceClass}));
}

TEST(QueueProfiles, PluginsThatCannotKeepAPodWaitingAreLeftOut) {
  test::Log log;
  EXPECT_TRUE(PluginsWith(std::make_shared<test::FakeScore>("It", log)).empty());
  EXPECT_EQ(PluginsWith(std::make_shared<test::FakeBinding>("It", log)).size(), 1U);
}

TEST(QueueProfiles, AGateCountsWhereItIsEnabled) {
  const auto gate = std::make_shared<Gate>();
  EXPECT_EQ(PluginsWith(gate).front().pre_enqueue, gate.get());
}

TEST(QueueProfiles, TheDefaultProfile) {
  const std::unique_ptr<test::TestBed> bed = test::DefaultTestBed();
  const std::vector<queue::QueueProfile> profiles = QueueProfilesOf(bed->profiles);
  ASSERT_EQ(profiles.size(), 1U);
  EXPECT_EQ(profiles[0].scheduler_name, "default-scheduler");
  std::multiset<std::string> names;
  std::multiset<std::string> gates;
  for (const Plugin& plugin : profiles[0].plugins) {
    names.insert(plugin.name);
    if (plugin.pre_enqueue != nullptr) gates.insert(plugin.name);
  }
  EXPECT_EQ(names.count("NodeResourcesFit"), 1U);
  EXPECT_EQ(names.count("ImageLocality"), 0U);
  EXPECT_EQ(names.count("DefaultBinder"), 0U);
  EXPECT_TRUE(gates.contains("SchedulingGates"));
  EXPECT_FALSE(gates.contains("NodeAffinity"));
}

}  // namespace
}  // namespace berth::scheduler
