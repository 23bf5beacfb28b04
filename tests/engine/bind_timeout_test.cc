// SPDX-License-Identifier: Apache-2.0
// VolumeBinding's bindTimeoutSeconds, from the configuration to the pod that waits.
#include "engine/live_cluster.h"
#include "plugins/registry.h"
#include "support/test_bed.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::test {
namespace {

using std::chrono::seconds;

store::Operation Object(const std::string& kind, const std::string& namespace_, const std::string& name,
                        const std::string& document) {
  store::Operation operation;
  operation.key = {kind, namespace_, name};
  operation.uid = "uid-" + name;
  operation.value = document;
  return operation;
}

// A pod whose claim nobody provisions.
struct Waiting {
  explicit Waiting(const std::string& arguments)
      : cluster(plugins::InTreeRegistry(), PlansOf(Configuration(arguments), plugins::InTreeRegistry())) {
    cluster.AddNode("a");
    cluster.Write(
        {Object("StorageClass", "", "late",
                R"({"apiVersion":"storage.k8s.io/v1","kind":"StorageClass","metadata":{"name":"late"},)"
                R"("provisioner":"nobody","volumeBindingMode":"WaitForFirstConsumer"})"),
         Object("PersistentVolumeClaim", "default", "data",
                R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data","namespace":"default"},)"
                R"("spec":{"storageClassName":"late","accessModes":["ReadWriteOnce"],)"
                R"("resources":{"requests":{"storage":"1Gi"}}},"status":{"phase":"Pending"}})")});
    cluster.AddPod("p", {.more_spec = R"("volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}])"});
    cluster.Settle();
  }
  static std::string Configuration(const std::string& arguments) {
    return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n"
           "- schedulerName: default-scheduler\n  pluginConfig:\n  - name: VolumeBinding\n    args:\n"
           "      apiVersion: kubescheduler.config.k8s.io/v1\n      kind: VolumeBindingArgs\n" +
           arguments;
  }
  // After how many seconds the pod is given up; 0 when it is not within 20 minutes.
  int GivenUpAfter() {
    for (int passed = 1; passed <= 1200; ++passed) {
      cluster.Pass(seconds(1));
      if (cluster.engine().counts().errors != 0) return passed;
    }
    return 0;
  }
  LiveCluster cluster;
};

TEST(BindTimeout, IsWhatTheConfigurationSays) {
  Waiting briefly("      bindTimeoutSeconds: 30\n");
  EXPECT_EQ(briefly.cluster.engine().attempts_under_way(), 1U);
  EXPECT_EQ(briefly.GivenUpAfter(), 30);
  const std::vector<std::string> events = briefly.cluster.EventsOf("p");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back(),
            "FailedScheduling: running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded");
  EXPECT_NE(briefly.cluster.scheduler->metrics().Expose().find(
                "\nscheduler_volume_scheduling_stage_error_total{operation=\"bind\"} 1\n"),
            std::string::npos);
}

TEST(BindTimeout, IsTenMinutesOtherwise) { EXPECT_EQ(Waiting("").GivenUpAfter(), 600); }

}  // namespace
}  // namespace berth::test
