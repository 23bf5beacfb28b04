// SPDX-License-Identifier: Apache-2.0
#include "simulator/missing_objects.h"

#include "base/string_map.h"

#include <map>

#include <fmt/format.h>

namespace berth::simulator {
namespace {

// Every cluster has these, so files leave them out.
bool IsBuiltInNamespace(std::string_view name) {
  return name == "default" || name == "kube-system" || name == "kube-public" || name == "kube-node-lease";
}

std::vector<std::string> ClaimsOf(const api::Pod& pod) {
  std::vector<std::string> claims;
  for (const api::Volume& volume : pod.spec->volumes) {
    if (const auto* claim = std::get_if<api::ClaimVolume>(&volume.source)) {
      claims.push_back(claim->claim_name);
    } else if (std::holds_alternative<api::EphemeralVolume>(volume.source)) {
      claims.push_back(fmt::format("{}-{}", pod.meta.name, volume.name));
    }
  }
  return claims;
}

// "pod shop/web-1", "pods shop/web-1 and 3 others".
std::string Who(const std::vector<std::string>& pods) {
  if (pods.size() == 1) return "pod " + pods.front();
  return fmt::format("pods {} and {} other{}", pods.front(), pods.size() - 1, pods.size() == 2 ? "" : "s");
}

}  // namespace

std::vector<std::string> MissingObjects(const DescribedObjects& objects, const framework::Lister& lister) {
  StringSet known_nodes;
  for (const api::Manifest& node : objects.nodes) known_nodes.insert(api::MetaOf(node.object).name);
  using PodsByName = std::map<std::string, std::vector<std::string>>;
  PodsByName nodes;
  PodsByName namespaces;
  PodsByName claims;
  const auto look_at = [&](const api::Pod& pod) {
    const std::string key = pod.meta.Key();
    if (!pod.node_name.empty() && !known_nodes.contains(pod.node_name)) nodes[pod.node_name].push_back(key);
    const std::string& ns = pod.meta.namespace_;
    if (!IsBuiltInNamespace(ns) && lister.FindNamespace(ns) == nullptr) namespaces[ns].push_back(key);
    for (const std::string& claim : ClaimsOf(pod)) {
      if (lister.FindClaim(ns, claim) == nullptr) claims[fmt::format("{}/{}", ns, claim)].push_back(key);
    }
  };
  for (const api::Manifest& pod : objects.running) look_at(*PodOf(pod));
  for (const api::Manifest& pod : objects.pending) look_at(*PodOf(pod));
  std::vector<std::string> sentences;
  for (const auto& [name, users] : nodes) {
    sentences.push_back(fmt::format("node {} is not described: {} on it take{} no part", name, Who(users),
                                    users.size() == 1 ? "s" : ""));
  }
  for (const auto& [name, users] : namespaces) {
    sentences.push_back(
        fmt::format("namespace {} of {} is not described: its labels count as absent", name, Who(users)));
  }
  for (const auto& [name, users] : claims) {
    sentences.push_back(fmt::format("persistent volume claim {} of {} is not described", name, Who(users)));
  }
  return sentences;
}

}  // namespace berth::simulator
