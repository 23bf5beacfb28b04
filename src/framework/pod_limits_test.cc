// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_limits.h"

#include "api/manifest.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

std::string Limits(const std::string& spec) {
  const auto documents = api::ReadDocuments("kind: Pod\nmetadata: {name: p}\nspec: {" + spec + "}\n", "test");
  const auto manifests = api::ParseManifests(*documents);
  std::string text;
  for (const auto& [name, amount] : PodLimits(*std::get<api::PodPtr>(manifests->objects.front().object))) {
    if (!text.empty()) text += ' ';
    text += name + "=" + amount.ToString();
  }
  return text;
}

TEST(PodLimits, AddUpLikeRequests) {
  const struct {
    std::string spec;
    std::string limits;
  } cases[] = {
      {"containers: [{name: a}]", ""},
      {"containers: [{name: a, resources: {limits: {cpu: 1, memory: 1k}}}, {name: b, resources: {limits: {cpu: 2}}}]",
       "cpu=3 memory=1k"},
      {"containers: [{name: a, resources: {limits: {cpu: 1}}}], initContainers: [{name: i, resources: {limits: {cpu: "
       "3, "
       "memory: 1k}}}]",
       "cpu=3 memory=1k"},
      // Running: 1 + 2; starting: the sidecar's 2 beside 3.
      {"containers: [{name: a, resources: {limits: {cpu: 1}}}], initContainers: [{name: s, restartPolicy: Always, "
       "resources: {limits: {cpu: 2}}}, {name: i, resources: {limits: {cpu: 3}}}]",
       "cpu=5"},
      {"resources: {limits: {cpu: 7, hugepages-2Mi: 2}}, containers: [{name: a, resources: {limits: {cpu: 1, memory: "
       "1k}}}]",
       "cpu=7 hugepages-2Mi=2 memory=1k"},
  };
  for (const auto& test : cases) EXPECT_EQ(Limits(test.spec), test.limits) << test.spec;
}

TEST(PodLimits, OverheadIsAddedToWhatIsLimited) {
  EXPECT_EQ(Limits("overhead: {cpu: 1, memory: 1k}, containers: [{name: a, resources: {limits: {cpu: 2}}}]"), "cpu=3");
  EXPECT_EQ(Limits("overhead: {cpu: 1}, containers: [{name: a, resources: {limits: {cpu: 0}}}]"), "cpu=0");
}

}  // namespace
}  // namespace berth::framework
