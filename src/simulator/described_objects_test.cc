// SPDX-License-Identifier: Apache-2.0
#include "simulator/described_objects.h"

#include "api/document.h"
#include "config/load.h"
#include "config/plan.h"
#include "plugins/registry.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

DescribedObjects Described(const std::string& yaml) {
  static const framework::Registry registry = plugins::InTreeRegistry();
  api::Manifests manifests = api::ParseManifests(api::ReadDocuments(yaml, "test").value()).value();
  const auto plans = config::PlanProfiles(config::DefaultConfiguration(registry), registry).value();
  return DescribedObjects::From(std::move(manifests), plans);
}

// The pod as decoded from its document, which must agree with the typed view.
api::Pod FromDocument(const api::Manifest& manifest) {
  api::DecodeErrors errors;
  auto pod = api::Decode<api::Pod>(manifest.document, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(pod.meta.uid, PodOf(manifest)->meta.uid);
  EXPECT_EQ(pod.priority(), PodOf(manifest)->priority());
  EXPECT_EQ(pod.spec->preemption_policy, PodOf(manifest)->spec->preemption_policy);
  return pod;
}

TEST(DescribedObjectsTest, PrioritiesAreGivenAsTheApiServerGivesThem) {
  const std::string classes =
      "---\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 100\npreemptionPolicy: Never\n"
      "---\nkind: PriorityClass\nmetadata: {name: usual}\nvalue: 7\nglobalDefault: true\n"
      "---\nkind: PriorityClass\nmetadata: {name: also}\nvalue: 9\nglobalDefault: true\n---\n";
  const struct {
    std::string name;
    std::string objects;
    std::string spec;
    int32_t priority;
    std::string policy;
    size_t warnings;
  } cases[] = {
      {"by class", classes, "priorityClassName: high", 100, "Never", 0},
      {"own priority wins", classes, "priorityClassName: high, priority: 3", 3, "", 0},
      {"lowest global default", classes, "", 7, "", 0},
      {"no class at all", "", "", 0, "", 0},
      {"built in", "", "priorityClassName: system-cluster-critical", 2'000'000'000, "", 0},
      {"built in", "", "priorityClassName: system-node-critical", 2'000'001'000, "", 0},
      {"unknown class", "", "priorityClassName: gone", 0, "", 1},
  };
  for (const auto& test : cases) {
    const DescribedObjects described =
        Described(test.objects + "kind: Pod\nmetadata: {name: p}\nspec: {" + test.spec + "}\n");
    ASSERT_EQ(described.pending.size(), 1U);
    const api::Pod pod = FromDocument(described.pending.front());
    EXPECT_EQ(pod.priority(), test.priority) << test.name;
    EXPECT_EQ(pod.spec->preemption_policy, test.policy) << test.name;
    ASSERT_EQ(described.warnings.size(), test.warnings) << test.name;
    if (test.warnings != 0) {
      EXPECT_EQ(described.warnings[0],
                "pod default/p names priority class gone, which is not described: it gets priority 0");
    }
  }
}

TEST(DescribedObjectsTest, EveryPodGetsAUidOfItsOwn) {
  const DescribedObjects described = Described(
      "kind: Pod\nmetadata: {name: a}\n---\nkind: Pod\nmetadata: {name: b, uid: same}\n---\n"
      "kind: Pod\nmetadata: {name: c, uid: same}\n");
  std::vector<std::string> uids;
  for (const api::Manifest& pod : described.pending) uids.push_back(FromDocument(pod).meta.uid);
  EXPECT_EQ(uids, std::vector<std::string>({"default/a", "same", "default/c"}));
  ASSERT_EQ(described.warnings.size(), 1U);
  EXPECT_NE(described.warnings[0].find("pod default/c has uid same"), std::string::npos);
}

TEST(DescribedObjectsTest, PodsThatTakeNoPartAreNamed) {
  const DescribedObjects described = Described(
      "kind: Pod\nmetadata: {name: done}\nstatus: {phase: Succeeded}\n---\n"
      "kind: Pod\nmetadata: {name: other}\nspec: {schedulerName: volcano}\n---\n"
      "kind: Pod\nmetadata: {name: going, deletionTimestamp: '2026-01-01T00:00:00Z'}\n");
  ASSERT_EQ(described.ignored.size(), 3U);
  EXPECT_TRUE(described.pending.empty());
  EXPECT_EQ(described.ignored[0].reason, "finished (Succeeded)");
  EXPECT_EQ(described.ignored[1].reason, "scheduler volcano is none of the profiles (default-scheduler)");
  EXPECT_EQ(described.ignored[2].reason, "being deleted");
}

TEST(DescribedObjectsTest, MissingObjectsAreNamedNotFatal) {
  const DescribedObjects described = Described(
      "kind: Pod\nmetadata: {namespace: shop, name: a}\nspec: {nodeName: gone}\n---\n"
      "kind: Pod\nmetadata: {namespace: shop, name: b}\nspec: {nodeName: gone}\n---\n"
      "kind: Pod\nmetadata: {name: c}\nspec: {volumes: [{name: v, persistentVolumeClaim: {claimName: disk}}]}\n");
  EXPECT_EQ(described.warnings, std::vector<std::string>({
                                    "node gone is not described: pods shop/a and 1 other on it take no part",
                                    "namespace shop of pods shop/a and 1 other is not described: its labels count "
                                    "as absent",
                                    "persistent volume claim default/disk of pod default/c is not described",
                                }));
}

TEST(DescribedObjectsTest, RunningPodsComeAsAListBringsThem) {
  const DescribedObjects described = Described(
      "kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\nmetadata: {namespace: b, name: x}\nspec: {nodeName: n1}\n---\n"
      "kind: Pod\nmetadata: {namespace: a, name: z}\nspec: {nodeName: n1}\n---\n"
      "kind: Pod\nmetadata: {namespace: a, name: w}\nspec: {nodeName: n1}\n");
  std::vector<std::string> keys;
  for (const api::Manifest& pod : described.running) keys.push_back(PodOf(pod)->meta.Key());
  EXPECT_EQ(keys, std::vector<std::string>({"a/w", "a/z", "b/x"}));
}

TEST(DescribedObjectsTest, TimeStandsAtTheLatestMoment) {
  const DescribedObjects described = Described(
      "kind: Node\nmetadata: {name: n1, creationTimestamp: '2026-01-01T00:00:00Z'}\n---\n"
      "kind: Pod\nmetadata: {name: p}\nspec: {nodeName: n1}\nstatus: {startTime: '2026-01-01T00:00:09Z'}\n");
  EXPECT_EQ(described.latest.time_since_epoch(), std::chrono::seconds(1767225609));
}

}  // namespace
}  // namespace berth::simulator
