// SPDX-License-Identifier: Apache-2.0
#include "remote/hypothesis.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace berth::remote {

using framework::NodeInfo;
using framework::PodInfoPtr;
using framework::PodUid;

namespace {

using Uids = std::vector<std::string_view>;

Uids UidsOf(const std::vector<PodInfoPtr>& pods) {
  Uids uids;
  uids.reserve(pods.size());
  for (const PodInfoPtr& pod : pods) uids.push_back(PodUid(*pod->pod));
  return uids;
}

// As NodeInfo does it; says whether the pod was there.
bool Remove(std::string_view uid, Uids& uids) {
  const auto at = std::ranges::find(uids, uid);
  if (at == uids.end()) return false;
  *at = uids.back();
  uids.pop_back();
  return true;
}

bool LeadTo(const Uids& wanted, Uids uids, const std::vector<NodeChange>& changes) {
  for (const NodeChange& change : changes) {
    const std::string_view uid = PodUid(*change.pod->pod);
    if (change.added) {
      uids.push_back(uid);
    } else if (!Remove(uid, uids)) {
      return false;
    }
  }
  return uids == wanted;
}

}  // namespace

std::vector<NodeChange> ChangesTo(const NodeInfo& node, const std::vector<PodInfoPtr>& known,
                                  std::span<const NodeChange> recorded) {
  std::vector<NodeChange> changes;
  std::ranges::copy_if(recorded, std::back_inserter(changes),
                       [&](const NodeChange& change) { return change.node == node.id; });
  if (changes.empty() && node.pods == known) return changes;
  const Uids before = UidsOf(known);
  const Uids after = UidsOf(node.pods);
  if (LeadTo(after, before, changes)) return changes;
  changes.clear();
  for (size_t i = 0; i < known.size(); ++i) {
    if (std::ranges::find(after, before[i]) == after.end()) changes.push_back({node.id, known[i], false});
  }
  for (size_t i = 0; i < node.pods.size(); ++i) {
    if (std::ranges::find(before, after[i]) == before.end()) changes.push_back({node.id, node.pods[i], true});
  }
  return changes;
}

void WriteHypothesis(const NodeInfo& node, const std::vector<NodeChange>& changes, PluginCalls& calls,
                     wire::Hypothesis& hypothesis) {
  hypothesis.set_node(node.id);
  for (const NodeChange& change : changes) {
    wire::PodChange& written = *hypothesis.add_changes();
    written.set_pod(calls.IdOf(*change.pod));
    written.set_added(change.added);
  }
}

}  // namespace berth::remote
