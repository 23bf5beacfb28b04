// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_state.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cluster {

using framework::NodeId;
using framework::NodeInfo;
using framework::TermKind;

namespace {

std::string Amounts(const framework::ResourceAmounts& amounts, const framework::ResourceNames& names) {
  std::map<std::string, int64_t> scalars;
  for (const auto& [id, amount] : amounts.scalars) {
    if (amount != 0) scalars[names.Name(id)] = amount;
  }
  std::string text =
      fmt::format("cpu={} memory={} ephemeral-storage={}", amounts.cpu, amounts.memory, amounts.ephemeral_storage);
  for (const auto& [name, amount] : scalars) text += fmt::format(" {}={}", name, amount);
  return text;
}

}  // namespace

std::string ClusterState::Describe() const {
  std::map<std::string, std::string> nodes;
  live_.ForEach([&](size_t slot) {
    const auto id = static_cast<NodeId>(slot);
    const NodeInfo& row = *rows_[id];
    std::string text =
        fmt::format("allocatable {} pods={}\n  requested {} nonzero {}/{}\n", Amounts(row.allocatable, *names_),
                    row.allowed_pods, Amounts(row.requested, *names_), row.nonzero_cpu, row.nonzero_memory);
    // The columns must mirror the row, so both are part of the description.
    for (size_t resource = 0; resource < names_->size(); ++resource) {
      const auto column = columns_.resource(static_cast<framework::ResourceId>(resource));
      if (column.allocatable[id] == 0 && column.requested[id] == 0) continue;
      text += fmt::format("  column {} {}/{}\n", names_->Name(static_cast<framework::ResourceId>(resource)),
                          column.requested[id], column.allocatable[id]);
    }
    text += fmt::format("  columns nonzero {}/{} pods {}/{} lowest {} ports {} unschedulable {}\n",
                        columns_.nonzero_cpu()[id], columns_.nonzero_memory()[id], columns_.pod_count()[id],
                        columns_.allowed_pods()[id], columns_.lowest_priority()[id],
                        columns_.nodes_with_host_ports().Test(id), unschedulable_.Test(id));
    for (const auto& [key, value] : row.node->meta.labels) text += fmt::format("  label {}={}\n", key, value);
    for (const api::Taint& taint : taints_.column().sets[taints_.column().set_of_node[id]]) {
      text += fmt::format("  taint {}={}:{}\n", taint.key, taint.value, static_cast<int>(taint.effect));
    }
    std::vector<std::string> pods;
    for (const auto& pod : row.pods) pods.push_back(pod->pod->meta.Key());
    std::sort(pods.begin(), pods.end());
    for (const std::string& pod : pods) text += fmt::format("  pod {}\n", pod);
    std::vector<std::string> ports;
    for (const auto& port : row.used_ports) ports.push_back(fmt::format("{} {} {}", port.ip, port.protocol, port.port));
    std::sort(ports.begin(), ports.end());
    for (const std::string& port : ports) text += fmt::format("  port {}\n", port);
    for (const api::ContainerImage& image : row.node->images) {
      for (const std::string& name : image.names) {
        const framework::ImageState* state = images_.Find(name);
        if (state != nullptr)
          text += fmt::format("  image {} on {}\n", name, state->HoldersSeenFrom(columns_.row_cycle()[id]));
      }
    }
    nodes[row.name()] = std::move(text);
  });
  std::string text;
  for (const auto& [name, description] : nodes) text += fmt::format("node {}\n  {}", name, description);

  std::map<std::string, std::string> carried;
  for (const TermKind kind : {TermKind::RequiredAffinity, TermKind::RequiredAntiAffinity, TermKind::PreferredAffinity,
                              TermKind::PreferredAntiAffinity}) {
    for (const framework::CarriedTerm* term : pod_index_.carried(kind).all()) {
      std::map<std::string, int32_t> carriers;
      term->carriers.ForEach([&](NodeId id, int32_t count) { carriers[rows_[id]->name()] = count; });
      std::string entry =
          fmt::format("term {} {} {} {} in [{}] weight {}:", static_cast<int>(kind), term->term.topology_key,
                      term->term.selector.ToString(), term->term.namespace_selector.ToString(),
                      fmt::join(term->term.namespaces, " "), term->weight);
      std::string counts;
      for (const auto& [name, count] : carriers) counts += fmt::format(" {}={}", name, count);
      carried[entry] += counts + ";";
    }
  }
  for (const auto& [term, counts] : carried) text += term + counts + "\n";

  std::map<std::string, int> claims(claim_users_.begin(), claim_users_.end());
  for (const auto& [claim, users] : claims) text += fmt::format("claim {} used by {}\n", claim, users);
  std::map<std::string, std::string> placements;
  for (const auto& [uid, pod] : pods_) placements[std::string(uid)] = NodeOf(uid);
  for (const auto& [uid, name] : placements) text += fmt::format("pod {} on {}\n", uid, name);
  return text;
}

}  // namespace berth::cluster
