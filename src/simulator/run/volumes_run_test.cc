// SPDX-License-Identifier: Apache-2.0
// Scenarios with volumes: the volume controller together with the scheduler.
#include "simulator/record/replay.h"
#include "simulator/run/test_run.h"
#include "simulator/run/virtual_run.h"

#include <gtest/gtest.h>

namespace berth::simulator {
namespace {

using Lines = std::vector<std::string>;

const std::string kNodes = "duration: 10m\nnodes: [{name: m, count: 2, allocatable: {cpu: 4}}]\n";
const std::string kClasses =
    "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: fast}\nprovisioner: csi.example.com\n"
    "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: local}\n"
    "provisioner: kubernetes.io/no-provisioner\nvolumeBindingMode: WaitForFirstConsumer\n";

std::string ClaimOf(const std::string& name, const std::string& storage_class) {
  return "---\nkind: PersistentVolumeClaim\napiVersion: v1\nmetadata: {name: " + name +
         "}\nspec: {storageClassName: " + storage_class +
         ", accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}\n";
}

const std::string kUsesClaim = "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]";
const std::string kEphemeral =
    "volumes: [{name: v, ephemeral: {volumeClaimTemplate: {metadata: {labels: {of: pod}}, spec: {storageClassName: "
    "fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]";

TEST(VolumesRun, APodWaitsUntilItsClaimIsBound) {
  const TestedRun run =
      RunTested(kNodes + "volumes: {provisionAfter: 30s}\nworkloads:\n" + WorkloadYaml("a", "1", "", kUsesClaim),
                kClasses + ClaimOf("c", "fast"));
  ASSERT_EQ(run.decisions.size(), 2U);
  EXPECT_EQ(run.decisions[0], "0s a-1 waits");
  EXPECT_EQ(run.decisions[1].substr(0, 11), "30s a-1 on ");
  EXPECT_EQ(run.report.pods.bound, 1U);
}

TEST(VolumesRun, APodFollowsAVolumeThatNamesItsClaim) {
  const TestedRun run =
      RunTested(kNodes + "workloads:\n" + WorkloadYaml("a", "1", "from: 1m", kUsesClaim),
                kClasses + ClaimOf("c", "local") +
                    "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: v}\nspec: {storageClassName: local, "
                    "accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, local: {path: /x}, claimRef: {namespace: "
                    "default, name: c}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
                    "kubernetes.io/hostname, operator: In, values: [m-2]}]}]}}}\n");
  EXPECT_EQ(run.decisions, (Lines{"1m a-1 on m-2"}));
}

TEST(VolumesRun, EphemeralClaimsComeAndGoWithTheirPods) {
  const TestedRun run = RunTested(
      kNodes + "workloads:\n" + WorkloadYaml("a", "1", "count: 2, lifetime: 1m, end: delete", kEphemeral), kClasses);
  EXPECT_EQ(run.report.pods.bound, 2U);
  EXPECT_EQ(run.report.pods.ended, 2U);
  const RunRecord record = ReadRecord(run.record, "r").value();
  const auto count = [&](Input::Op op, const std::string& kind) {
    return std::ranges::count_if(record.inputs, [&](const RecordedInput& recorded) {
      return recorded.input.op == op && recorded.input.key.kind == kind;
    });
  };
  for (const char* kind : {"PersistentVolumeClaim", "PersistentVolume"}) {
    EXPECT_EQ(count(Input::Op::Create, kind), 2) << kind;
    EXPECT_EQ(count(Input::Op::Delete, kind), 2) << kind;
  }
}

TEST(VolumesRun, WhatTheControllerDidIsPartOfTheRecord) {
  const TestedRun run = RunTested(
      kNodes + "volumes: {bindAfter: 2s, provisionAfter: 20s}\nworkloads:\n" +
          WorkloadYaml("a", "1", "count: 9, every: 20s, lifetime: 1m, end: delete, restart: true", kEphemeral),
      kClasses);
  EXPECT_EQ(run.report.pods.bound, 9U);
  const RunRecord record = ReadRecord(run.record, "r").value();
  const ReplayOutcome outcome = Replay(record, DefaultSetup(record.header.seed), {}).value();
  EXPECT_EQ(outcome.decisions, run.decisions.size());
  EXPECT_FALSE(outcome.difference) << outcome.difference->recorded << "\n" << outcome.difference->repeated;
}

// Claims of this class wait for a pod; each new volume is local to one host.
const std::string kLater =
    "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: later}\nprovisioner: csi.example.com\n"
    "volumeBindingMode: WaitForFirstConsumer\n"
    "allowedTopologies: [{matchLabelExpressions: [{key: kubernetes.io/hostname, values: [m-1, m-2]}]}]\n";

TEST(VolumesRun, AVolumeIsMadeForTheChosenNode) {
  const TestedRun run =
      RunTested(kNodes + "volumes: {provisionAfter: 30s}\nworkloads:\n" + WorkloadYaml("a", "1", "", kUsesClaim),
                kLater + ClaimOf("c", "later"));
  ASSERT_EQ(run.decisions.size(), 1U);  // decided once, bound thirty seconds later
  EXPECT_EQ(run.report.pods.bound, 1U);
  EXPECT_EQ(run.report.latency.max, std::chrono::seconds(30));
}

TEST(VolumesRun, LocalVolumesAreSharedOutAmongPods) {
  std::string objects = kClasses;
  for (const char* i : {"1", "2"}) {
    objects += ClaimOf(std::string("c-") + i, "local") +
               "---\nkind: PersistentVolume\napiVersion: v1\nmetadata: {name: v-" + i +
               "}\nspec: {storageClassName: local, accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, local: "
               "{path: /x}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: "
               "kubernetes.io/hostname, operator: In, values: [m-" +
               i + "]}]}]}}}\n";
  }
  const TestedRun run =
      RunTested(kNodes + "workloads:\n" +
                    WorkloadYaml("a", "1", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: c-1}}]") +
                    WorkloadYaml("b", "1", "", "volumes: [{name: v, persistentVolumeClaim: {claimName: c-2}}]"),
                objects);
  EXPECT_EQ(run.report.pods.bound, 2U);
}

// The node is removed while its volume is being provisioned: the provisioner clears the selected node, and the pod goes
// elsewhere.
TEST(VolumesRun, APodWhoseNodeGoesWhileItsVolumeIsMadeIsTriedAgain) {
  const TestedRun run = RunTested(
      "duration: 10m\nnodes: [{name: m, count: 1, allocatable: {cpu: 4}}, {name: late, allocatable: {cpu: 4}, join: "
      "{from: "
      "20s}}]\nvolumes: {provisionAfter: 30s}\nworkloads:\n" +
          WorkloadYaml("a", "1", "", kUsesClaim) + "events: [{at: 25s, action: removeNode, node: m-1}]\n",
      "---\nkind: StorageClass\napiVersion: storage.k8s.io/v1\nmetadata: {name: later}\nprovisioner: csi.example.com\n"
      "volumeBindingMode: WaitForFirstConsumer\n" +
          ClaimOf("c", "later"));
  EXPECT_EQ(run.report.pods.bound, 1U);
  EXPECT_EQ(run.decisions.front(), "0s a-1 on m-1");
  EXPECT_TRUE(run.decisions.back().ends_with("a-1 on late-1"));
}

TEST(VolumesRun, AVolumeThatIsNeverMadeIsWaitedForTenMinutes) {
  const TestedRun run = RunTested(
      "duration: 15m\nnodes: [{name: m, allocatable: {cpu: 4}}]\nvolumes: {provisionAfter: "
      "1h}\nworkloads:\n" +
          WorkloadYaml("a", "1", "", kUsesClaim),
      kLater + ClaimOf("c", "later"));
  EXPECT_EQ(run.report.pods.bound, 0U);
  EXPECT_GE(run.decisions.size(), 2U) << "after ten minutes it is tried again";
  EXPECT_LE(run.decisions.size(), 3U);
}

}  // namespace
}  // namespace berth::simulator
