// SPDX-License-Identifier: Apache-2.0
#include "documents.h"

#include "base/rng.h"

#include <fmt/format.h>

namespace berth::bench {
namespace {

std::string NodeName(size_t i) { return fmt::format("node-{:06}", i); }

std::string NodeDocument(size_t i, std::string_view more_labels) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","uid":"00000000-0000-4000-8000-{1:012}","labels":)"
      R"({{"kubernetes.io/hostname":"{0}","topology.kubernetes.io/zone":"zone{2}","kubernetes.io/arch":"amd64",)"
      R"("kubernetes.io/os":"linux"{3}}}}},"spec":{{"podCIDR":"10.0.0.0/24"}},"status":{{"allocatable":{{"cpu":"4",)"
      R"("memory":"32Gi","pods":"110"}},"capacity":{{"cpu":"4","memory":"32Gi","pods":"110"}},"conditions":[)"
      R"({{"type":"Ready","status":"True","reason":"KubeletReady"}}]}}}})",
      NodeName(i), i, i % 3, more_labels);
}

std::string Labels(std::string_view workload) {
  const bool is_blue =
      workload == "zone spread" || workload == "required affinity" || workload == "required anti-affinity";
  return is_blue ? R"("app":"bench","color":"blue")" : R"("app":"bench")";
}

// What the workload's pods require besides resources, as members of a spec.
std::string Constraints(std::string_view workload, size_t i) {
  constexpr const char* kBlue = R"({"matchLabels":{"color":"blue"}})";
  constexpr const char* kZone = "topology.kubernetes.io/zone";
  if (workload == "node affinity") {
    return fmt::format(R"(,"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":)"
                       R"({{"nodeSelectorTerms":[{{"matchExpressions":[{{"key":"{}","operator":"In",)"
                       R"("values":["zone1","zone2"]}}]}}]}}}}}})",
                       kZone);
  }
  if (workload == "zone spread") {
    return fmt::format(R"(,"topologySpreadConstraints":[{{"maxSkew":1,"topologyKey":"{}","whenUnsatisfiable":)"
                       R"("DoNotSchedule","labelSelector":{}}}])",
                       kZone, kBlue);
  }
  if (workload == "required affinity" || workload == "required anti-affinity") {
    const bool anti = workload == "required anti-affinity";
    return fmt::format(R"(,"affinity":{{"{}":{{"requiredDuringSchedulingIgnoredDuringExecution":[{{"labelSelector":{},)"
                       R"("topologyKey":"{}"}}]}}}})",
                       anti ? "podAntiAffinity" : "podAffinity", kBlue, anti ? "kubernetes.io/hostname" : kZone);
  }
  if (workload == "labelled") return fmt::format(R"(,"nodeSelector":{{"wanted":"{}"}})", i);
  if (workload == "unschedulable") return R"(,"priority":10)";
  return {};
}

}  // namespace

store::Operation CreateNode(size_t i) {
  store::Operation create;
  create.key = {"Node", "", NodeName(i)};
  create.uid = fmt::format("00000000-0000-4000-8000-{:012}", i);
  create.value = NodeDocument(i, {});
  return create;
}

std::string LabelledNode(size_t i, std::string_view label, std::string_view value) {
  return NodeDocument(i, fmt::format(R"(,"{}":"{}")", label, value));
}

store::Operation CreatePod(std::string_view workload, size_t i, std::string_view node) {
  Rng rng(i);
  const uint64_t cpu = workload == "unschedulable" ? 9000 : workload == "distinct" ? 50 + rng.Below(300) : 100;
  const uint64_t memory = workload == "distinct" ? rng.Below(1U << 30U) : uint64_t{500} << 20U;
  store::Operation create;
  const std::string name = fmt::format("pod-{:07}", i);
  create.key = {"Pod", "bench", name};
  create.uid = fmt::format("11111111-1111-4111-8111-{:012}", i);
  create.fields.node_name = node;
  create.fields.phase = "Pending";
  create.fields.scheduler_name = "default-scheduler";
  create.value = fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{}","namespace":"bench","uid":"{}","labels":{{{}}},)"
      R"("creationTimestamp":"2026-01-01T00:00:00Z"}},"spec":{{"schedulerName":"default-scheduler","containers":[{{)"
      R"("name":"pause","image":"registry.k8s.io/pause:3.10","resources":{{"requests":{{"cpu":"{}m","memory":"{}"}}}}}}],)"
      R"("terminationGracePeriodSeconds":30,"restartPolicy":"Always"{}}},"status":{{"phase":"Pending"}}}})",
      name, create.uid, Labels(workload), cpu, memory, Constraints(workload, i));
  return create;
}

}  // namespace berth::bench
