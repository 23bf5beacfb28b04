// SPDX-License-Identifier: Apache-2.0
#include "simulator/pod_priority.h"

#include <optional>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

struct Given {
  int32_t priority = 0;
  std::string preemption_policy;
};

// The two classes every cluster has.
std::optional<Given> BuiltIn(std::string_view name) {
  if (name == "system-cluster-critical") return Given{2'000'000'000, ""};
  if (name == "system-node-critical") return Given{2'000'001'000, ""};
  return std::nullopt;
}

std::optional<Given> Default(const framework::Lister& lister) {
  const api::PriorityClass* lowest = nullptr;
  for (const api::PriorityClass* one : lister.PriorityClasses()) {
    // Should there be several, the API server takes the lowest.
    if (one->global_default && (lowest == nullptr || one->value < lowest->value)) lowest = one;
  }
  if (lowest == nullptr) return std::nullopt;
  return Given{lowest->value, lowest->preemption_policy};
}

std::optional<Given> GivenTo(const api::Pod& pod, const framework::Lister& lister, std::string& warning) {
  const std::string& name = pod.spec->priority_class_name;
  if (name.empty()) return Default(lister);
  if (const api::PriorityClass* found = lister.FindPriorityClass(name)) {
    return Given{found->value, found->preemption_policy};
  }
  if (std::optional<Given> built_in = BuiltIn(name)) return built_in;
  warning =
      fmt::format("pod {} names priority class {}, which is not described: it gets priority 0", pod.meta.Key(), name);
  return std::nullopt;
}

}  // namespace

api::PodPtr WithPriority(const api::PodPtr& pod, const framework::Lister& lister, std::string& warning) {
  if (pod->spec->priority) return pod;
  const std::optional<Given> given = GivenTo(*pod, lister, warning);
  if (!given) return pod;
  auto spec = std::make_shared<api::PodSpec>(*pod->spec);
  spec->priority = given->priority;
  if (spec->preemption_policy.empty()) spec->preemption_policy = given->preemption_policy;
  auto copy = std::make_shared<api::Pod>(*pod);
  copy->spec = std::move(spec);
  return copy;
}

}  // namespace berth::simulator
