// SPDX-License-Identifier: Apache-2.0
#include "scheduler/pod_resource_metrics.h"

#include "api/manifest.h"

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

namespace berth::scheduler {
namespace {

std::vector<api::PodPtr> Pods(const std::string& yaml) {
  const auto documents = api::ReadDocuments(yaml, "test");
  const auto manifests = api::ParseManifests(*documents);
  std::vector<api::PodPtr> pods;
  for (const api::Manifest& manifest : manifests->objects) pods.push_back(std::get<api::PodPtr>(manifest.object));
  return pods;
}

std::vector<std::string> Samples(const std::string& exposition) {
  std::istringstream lines(exposition);
  std::vector<std::string> samples;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('#')) samples.push_back(line);
  }
  std::ranges::sort(samples);
  return samples;
}

// What kube-scheduler v1.36.4 exposed of these pods, but for how it writes large numbers.
TEST(PodResourceMetricsTest, PodsAreMeasuredAsByKubeScheduler) {
  const auto pods = Pods(R"(
kind: Pod
metadata: {name: a, namespace: default}
spec:
  nodeName: n1
  priority: 5
  initContainers:
  - {name: i, resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {memory: 1Gi}}}
  - {name: s, restartPolicy: Always, resources: {requests: {cpu: 100m}}}
  containers:
  - name: c
    resources:
      requests: {cpu: 250m, memory: 64Mi, ephemeral-storage: 1Gi, example.com/gpu: "1", hugepages-2Mi: 4Mi}
      limits: {cpu: "1", memory: 128Mi, example.com/gpu: "1", hugepages-2Mi: 4Mi}
  - {name: d, resources: {requests: {cpu: 333m}}}
---
kind: Pod
metadata: {name: b, namespace: default}
spec: {containers: [{name: c, resources: {requests: {cpu: "2"}}}]}
---
kind: Pod
metadata: {name: e, namespace: default}
spec: {schedulerName: other, containers: [{name: c}]}
---
kind: Pod
metadata: {name: pl, namespace: default}
spec:
  nodeName: n1
  resources: {requests: {cpu: "1", memory: 1Gi}, limits: {cpu: "2"}}
  containers: [{name: c, resources: {requests: {cpu: 100m}}}]
---
kind: Pod
metadata: {name: done, namespace: default}
spec: {nodeName: n1, containers: [{name: c, resources: {requests: {cpu: 100m}}}]}
status: {phase: Succeeded}
)");
  const std::string a = R"({namespace="default",node="n1",pod="a",priority="5",resource=)";
  const std::string pl = R"({namespace="default",node="n1",pod="pl",priority="",resource=)";
  std::vector<std::string> expected = {
      "kube_pod_resource_limit" + a + R"("cpu",scheduler="default-scheduler",unit="cores"} 1)",
      "kube_pod_resource_limit" + a + R"("example.com/gpu",scheduler="default-scheduler",unit=""} 1)",
      "kube_pod_resource_limit" + a + R"("hugepages-2Mi",scheduler="default-scheduler",unit="bytes"} 4194304)",
      "kube_pod_resource_limit" + a + R"("memory",scheduler="default-scheduler",unit="bytes"} 1073741824)",
      "kube_pod_resource_limit" + pl + R"("cpu",scheduler="default-scheduler",unit="cores"} 2)",
      R"(kube_pod_resource_request{namespace="default",node="",pod="b",priority="",resource="cpu",)"
      R"(scheduler="default-scheduler",unit="cores"} 2)",
      "kube_pod_resource_request" + a + R"("cpu",scheduler="default-scheduler",unit="cores"} 0.683)",
      "kube_pod_resource_request" + a + R"("ephemeral-storage",scheduler="default-scheduler",unit="bytes"} 1073741824)",
      "kube_pod_resource_request" + a + R"("example.com/gpu",scheduler="default-scheduler",unit=""} 1)",
      "kube_pod_resource_request" + a + R"("hugepages-2Mi",scheduler="default-scheduler",unit="bytes"} 4194304)",
      "kube_pod_resource_request" + a + R"("memory",scheduler="default-scheduler",unit="bytes"} 1073741824)",
      "kube_pod_resource_request" + pl + R"("cpu",scheduler="default-scheduler",unit="cores"} 1)",
      "kube_pod_resource_request" + pl + R"("memory",scheduler="default-scheduler",unit="bytes"} 1073741824)",
  };
  std::ranges::sort(expected);
  EXPECT_EQ(Samples(PodResourceMetrics(pods)), expected);
}

TEST(PodResourceMetricsTest, VolumesAreCountedAndNamesEscaped) {
  const auto pods = Pods(
      "kind: Pod\nmetadata: {name: a, namespace: x}\nspec: {schedulerName: 'a\"b', containers: [{name: c, resources: "
      "{requests: {attachable-volumes-aws-ebs: 2, pods: 0}}}]}\nstatus: {phase: Failed}\n");
  EXPECT_EQ(Samples(PodResourceMetrics(pods)),
            std::vector<std::string>{
                "kube_pod_resource_request{namespace=\"x\",node=\"\",pod=\"a\",priority=\"\",resource=\"attachable-"
                "volumes-aws-ebs\",scheduler=\"a\\\"b\",unit=\"integer\"} 2"})
      << "a pod that was never placed has not ended";
}

}  // namespace
}  // namespace berth::scheduler
