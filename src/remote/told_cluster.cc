// SPDX-License-Identifier: Apache-2.0
#include "remote/told_cluster.h"

#include <algorithm>
#include <utility>

namespace berth::remote {
namespace {

using framework::PodInfoPtr;

void Nominate(ToldPods& pods, const PodInfoPtr& pod, const std::string& node, ObjectsWriter& out) {
  const ToldPods::Id id = pods.Mention(*pod, out);
  plugin::v1::Nominated& nominated = *out.Add().mutable_nominated();
  nominated.set_pod(id);
  nominated.set_node(node);
}

}  // namespace

void ToldCluster::Sync(framework::Handle& handle, ObjectsWriter& out) {
  objects_.Sync(handle.lister(), out);
  nodes_.Sync(handle.cluster(), pods_, out);
  SyncNominations(handle.nominator(), out);
  if (!std::exchange(is_complete_, true)) out.Complete();
}

void ToldCluster::SyncNominations(framework::Nominator& nominator, ObjectsWriter& out) {
  const std::vector<std::string> names = nominator.NodesWithNominations();
  if (names.empty() && nominated_.empty()) return;
  std::map<std::string, std::vector<PodInfoPtr>> now;
  for (const std::string& name : names) {
    const auto pods = nominator.PodsFor(name);
    now[name].assign(pods.begin(), pods.end());
  }
  if (now == nominated_) return;
  for (const auto& [node, pods] : nominated_) {
    const auto it = now.find(node);
    if (it != now.end() && it->second == pods) continue;
    for (const PodInfoPtr& pod : pods) Nominate(pods_, pod, "", out);
  }
  for (const auto& [node, pods] : now) {
    const auto it = nominated_.find(node);
    if (it != nominated_.end() && it->second == pods) continue;
    for (const PodInfoPtr& pod : pods) Nominate(pods_, pod, node, out);
  }
  nominated_ = std::move(now);
}

}  // namespace berth::remote
