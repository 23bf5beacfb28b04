// SPDX-License-Identifier: Apache-2.0
#include "plugins/priority_sort/priority_sort.h"

#include "runtime/profile.h"

#include <chrono>
#include <memory>
#include <optional>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

framework::QueuedPodInfo Queued(std::optional<int32_t> priority, int second) {
  auto spec = std::make_shared<api::PodSpec>();
  spec->priority = priority;
  auto pod = std::make_shared<api::Pod>();
  pod->spec = spec;
  pod->status = std::make_shared<const api::PodStatus>();
  framework::ResourceNames names;
  return {framework::MakePodInfo(std::move(pod), names), Timestamp(std::chrono::seconds(second)), 0};
}

TEST(PrioritySort, PriorityThenWaitingTime) {
  config::ProfilePlan plan;
  plan.at(framework::ExtensionPoint::QueueSort) = {{std::string(kPrioritySort), 0}};
  const auto profile = *runtime::Profile::Build(plan, framework::Registry({PrioritySortEntry()}), {});
  const struct {
    framework::QueuedPodInfo first, second;
  } cases[] = {
      {Queued(10, 9), Queued(1, 1)},
      {Queued(10, 1), Queued(10, 2)},
      {Queued(std::nullopt, 9), Queued(-1, 1)},
      {Queued(std::nullopt, 1), Queued(0, 2)},
  };
  for (const auto& c : cases) {
    EXPECT_TRUE(profile->QueueSortLess(c.first, c.second));
    EXPECT_FALSE(profile->QueueSortLess(c.second, c.first));
  }
}

}  // namespace
}  // namespace berth::plugins
