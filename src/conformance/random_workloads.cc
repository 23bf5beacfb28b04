// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_workloads.h"

#include "base/check.h"
#include "conformance/random_parts.h"

#include <type_traits>

namespace berth::conformance {
namespace {

template <typename T>
api::Object Owner(Dice& dice, const std::string& ns, const std::string& name) {
  auto owner = std::make_shared<T>();
  owner->meta.name = name;
  owner->meta.namespace_ = ns;
  if constexpr (std::is_same_v<decltype(owner->selector), api::Labels>) {
    owner->selector = RandomLabels(dice, 0.35);
  } else {
    owner->selector = RandomOptionalSelector(dice);
  }
  if constexpr (std::is_same_v<T, api::PodDisruptionBudget>) owner->disruptions_allowed = dice.Between(0, 2);
  return std::shared_ptr<const T>(std::move(owner));
}

}  // namespace

api::Object RandomNamespace(Dice& dice, const std::string& name) {
  auto ns = std::make_shared<api::Namespace>();
  ns->meta.name = name;
  ns->meta.labels.Set("kubernetes.io/metadata.name", name);
  if (dice.Chance(0.7)) ns->meta.labels.Set("team", dice.Pick({"one", "two"}));
  return std::shared_ptr<const api::Namespace>(std::move(ns));
}

const std::vector<std::string>& OwnerKinds() {
  static const std::vector<std::string> kKinds = {"Service", "ReplicaSet", "StatefulSet", "ReplicationController",
                                                  "PodDisruptionBudget"};
  return kKinds;
}

api::Object RandomOwner(Dice& dice, std::string_view kind, const std::string& ns, const std::string& name) {
  if (kind == "Service") return Owner<api::Service>(dice, ns, name);
  if (kind == "ReplicaSet") return Owner<api::ReplicaSet>(dice, ns, name);
  if (kind == "StatefulSet") return Owner<api::StatefulSet>(dice, ns, name);
  if (kind == "ReplicationController") return Owner<api::ReplicationController>(dice, ns, name);
  BERTH_CHECK(kind == "PodDisruptionBudget");
  return Owner<api::PodDisruptionBudget>(dice, ns, name);
}

std::vector<api::Object> RandomOwners(Dice& dice) {
  std::vector<api::Object> owners;
  for (const std::string& ns : RandomNamespaces()) {
    for (const char* name : {"owner-0", "owner-1"}) {
      for (const std::string& kind : OwnerKinds()) {
        if (dice.Chance(0.5)) owners.push_back(RandomOwner(dice, kind, ns, name));
      }
    }
  }
  return owners;
}

}  // namespace berth::conformance
