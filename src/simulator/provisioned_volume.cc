// SPDX-License-Identifier: Apache-2.0
#include "simulator/provisioned_volume.h"

#include "api/encode.h"
#include "plugins/storage/claims.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace berth::simulator {
namespace {

using Term = std::vector<api::TopologySelectorRequirement>;

bool IsIn(const Term& term, const api::Node& node) {
  return std::ranges::all_of(term, [&](const api::TopologySelectorRequirement& requirement) {
    const std::string* value = node.meta.labels.Find(requirement.key);
    return value != nullptr && std::ranges::find(requirement.values, *value) != requirement.values.end();
  });
}

std::optional<api::NodeSelector> SelectorOf(std::vector<api::NodeSelectorRequirement> requirements) {
  if (requirements.empty()) return std::nullopt;
  api::NodeSelector selector;
  selector.terms.emplace_back().match_expressions = std::move(requirements);
  return selector;
}

}  // namespace

bool HasProvisioner(const api::StorageClass& storage_class) {
  return !storage_class.provisioner.empty() && storage_class.provisioner != "kubernetes.io/no-provisioner";
}

bool Allows(const api::StorageClass& storage_class, const api::Node& node) {
  const std::vector<Term>& terms = storage_class.allowed_topologies;
  return terms.empty() || std::ranges::any_of(terms, [&](const Term& term) { return IsIn(term, node); });
}

std::optional<api::NodeSelector> ReachedLike(const api::StorageClass& storage_class, const api::Node& node,
                                             const api::CsiNode* csi_node) {
  std::vector<std::string> keys;
  if (csi_node != nullptr) {
    for (const api::CsiNodeDriver& driver : csi_node->drivers) {
      if (driver.name == storage_class.provisioner) keys = driver.topology_keys;
    }
  }
  if (keys.empty()) {
    const auto term =
        std::ranges::find_if(storage_class.allowed_topologies, [&](const Term& any) { return IsIn(any, node); });
    if (term != storage_class.allowed_topologies.end()) {
      for (const api::TopologySelectorRequirement& requirement : *term) keys.push_back(requirement.key);
    }
  }
  std::vector<api::NodeSelectorRequirement> requirements;
  for (const std::string& key : keys) {
    if (const std::string* value = node.meta.labels.Find(key)) requirements.push_back({key, "In", {*value}});
  }
  return SelectorOf(std::move(requirements));
}

std::optional<api::NodeSelector> FirstAllowed(const api::StorageClass& storage_class) {
  if (storage_class.allowed_topologies.empty()) return std::nullopt;
  std::vector<api::NodeSelectorRequirement> requirements;
  for (const api::TopologySelectorRequirement& requirement : storage_class.allowed_topologies.front()) {
    if (!requirement.values.empty()) requirements.push_back({requirement.key, "In", {requirement.values.front()}});
  }
  return SelectorOf(std::move(requirements));
}

api::Value ProvisionedVolume(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                             const std::optional<api::NodeSelector>& reached, const std::string& reclaim_policy) {
  api::PersistentVolume volume;
  volume.meta.name = "pvc-" + claim.meta.uid;
  volume.meta.annotations.Set("pv.kubernetes.io/provisioned-by", storage_class.provisioner);
  volume.storage = claim.storage_request;
  volume.access_modes = claim.access_modes;
  volume.storage_class_name = storage_class.meta.name;
  volume.volume_mode = claim.volume_mode;
  volume.volume_attributes_class_name = claim.volume_attributes_class_name;
  volume.claim_ref = {"PersistentVolumeClaim", claim.meta.namespace_, claim.meta.name, claim.meta.uid};
  volume.node_affinity = reached;
  volume.csi_driver = storage_class.provisioner;
  volume.csi_volume_handle = volume.meta.name;
  volume.phase = "Bound";
  api::Value document = api::Encode(std::make_shared<const api::PersistentVolume>(std::move(volume)));
  for (api::Value::Member& member : document.mutable_members()) {
    if (member.key == "spec") {
      member.value.Set("persistentVolumeReclaimPolicy", api::Value::String(reclaim_policy));
    }
  }
  return document;
}

}  // namespace berth::simulator
