// SPDX-License-Identifier: Apache-2.0
#include "workloads.h"

#include <fmt/format.h>

namespace berth::bench {
namespace {

constexpr const char* kZone = "topology.kubernetes.io/zone";
constexpr const char* kHostname = "kubernetes.io/hostname";

api::PodAffinityTerm SameColour(const char* topology_key) {
  api::PodAffinityTerm term;
  term.label_selector = api::LabelSelector{{{"color", "blue"}}, {}};
  term.topology_key = topology_key;
  return term;
}

std::shared_ptr<api::PodSpec> BasicSpec(int64_t milli_cpu, int64_t memory) {
  auto spec = std::make_shared<api::PodSpec>();
  spec->containers.resize(1);
  api::Container& container = spec->containers.front();
  container.name = "pause";
  container.image = "registry.k8s.io/pause:3.10";
  container.resources.requests.Set("cpu", api::Quantity::FromMilli(milli_cpu));
  container.resources.requests.Set("memory", api::Quantity::FromInt(memory));
  return spec;
}

}  // namespace

api::NodePtr MakeNode(size_t i) {
  auto node = std::make_shared<api::Node>();
  node->meta.name = fmt::format("node-{:06}", i);
  node->meta.uid = fmt::format("00000000-0000-4000-8000-{:012}", i);
  node->meta.labels.Set(kHostname, node->meta.name);
  node->meta.labels.Set(kZone, fmt::format("zone{}", i % 3));
  node->meta.labels.Set("kubernetes.io/arch", "amd64");
  node->meta.labels.Set("kubernetes.io/os", "linux");
  node->allocatable.Set("cpu", api::Quantity::FromInt(4));
  node->allocatable.Set("memory", api::Quantity::FromInt(int64_t{32} << 30U));
  node->allocatable.Set("pods", api::Quantity::FromInt(110));
  node->capacity = node->allocatable;
  return node;
}

const std::vector<std::string_view>& WorkloadNames() {
  static const std::vector<std::string_view> kNames = {"basic",        "distinct",          "node affinity",
                                                       "zone spread",  "required affinity", "required anti-affinity",
                                                       "unschedulable"};
  return kNames;
}

Workload::Workload(std::string_view name) : name_(name), status_(std::make_shared<api::PodStatus>()) {
  auto spec = BasicSpec(100, int64_t{500} << 20U);
  auto affinity = std::make_shared<api::Affinity>();
  labels_.Set("app", "bench");
  if (name == "node affinity") {
    affinity->node.emplace().required = api::NodeSelector{{{{{kZone, "In", {"zone1", "zone2"}}}, {}}}};
  } else if (name == "zone spread") {
    labels_.Set("color", "blue");
    api::TopologySpreadConstraint constraint;
    constraint.topology_key = kZone;
    constraint.label_selector = api::LabelSelector{{{"color", "blue"}}, {}};
    spec->topology_spread_constraints.push_back(std::move(constraint));
  } else if (name == "required affinity") {
    labels_.Set("color", "blue");
    affinity->pod.emplace().required.push_back(SameColour(kZone));
  } else if (name == "required anti-affinity") {
    labels_.Set("color", "blue");
    affinity->anti.emplace().required.push_back(SameColour(kHostname));
  } else if (name == "unschedulable") {
    spec = BasicSpec(9000, int64_t{500} << 20U);
    spec->priority = 10;
  }
  if (affinity->node || affinity->pod || affinity->anti) spec->affinity = std::move(affinity);
  spec_ = std::move(spec);
}

api::PodPtr Workload::Next() {
  auto pod = std::make_shared<api::Pod>();
  ++made_;
  pod->meta.name = fmt::format("pod-{:07}", made_);
  pod->meta.namespace_ = "bench";
  pod->meta.uid = fmt::format("{}-{:012}", name_.substr(0, 12), made_);
  pod->meta.labels = labels_;
  if (name_ == "distinct") {
    pod->spec = BasicSpec(static_cast<int64_t>(50 + rng_.Below(300)), static_cast<int64_t>(rng_.Below(1U << 30U)));
  } else {
    pod->spec = spec_;
  }
  pod->status = status_;
  return pod;
}

}  // namespace berth::bench
