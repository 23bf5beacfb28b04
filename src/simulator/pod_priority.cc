// SPDX-License-Identifier: Apache-2.0
#include "simulator/pod_priority.h"

#include <fmt/format.h>

namespace berth::simulator {
namespace {

// The two classes every cluster has.
std::optional<GivenPriority> BuiltIn(std::string_view name) {
  if (name == "system-cluster-critical") return GivenPriority{2'000'000'000, ""};
  if (name == "system-node-critical") return GivenPriority{2'000'001'000, ""};
  return std::nullopt;
}

std::optional<GivenPriority> Default(const framework::Lister& lister) {
  const api::PriorityClass* lowest = nullptr;
  for (const api::PriorityClass* one : lister.PriorityClasses()) {
    // If there are several, the API server uses the one with the lowest value.
    if (one->global_default && (lowest == nullptr || one->value < lowest->value)) lowest = one;
  }
  if (lowest == nullptr) return std::nullopt;
  return GivenPriority{lowest->value, lowest->preemption_policy};
}

}  // namespace

std::optional<GivenPriority> PriorityOfClass(std::string_view name, const framework::Lister& lister) {
  if (name.empty()) return Default(lister);
  if (const api::PriorityClass* found = lister.FindPriorityClass(name)) {
    return GivenPriority{found->value, found->preemption_policy};
  }
  return BuiltIn(name);
}

api::PodPtr WithPriority(const api::PodPtr& pod, const framework::Lister& lister, std::string& warning) {
  if (pod->spec->priority) return pod;
  const std::string& name = pod->spec->priority_class_name;
  const std::optional<GivenPriority> given = PriorityOfClass(name, lister);
  if (!given && !name.empty()) {
    warning = fmt::format("pod {} names priority class {}, which is not described: it gets priority 0", pod->meta.Key(),
                          name);
  }
  if (!given) return pod;
  auto spec = std::make_shared<api::PodSpec>(*pod->spec);
  spec->priority = given->priority;
  if (spec->preemption_policy.empty()) spec->preemption_policy = given->preemption_policy;
  auto copy = std::make_shared<api::Pod>(*pod);
  copy->spec = std::move(spec);
  return copy;
}

}  // namespace berth::simulator
