// SPDX-License-Identifier: Apache-2.0
#include "queue/status_nominations.h"

#include "framework/node_info.h"

#include <string>

namespace berth::queue {

using framework::PodUid;

void NominateByStatus(framework::Nominator& nominator, const framework::PodInfoPtr& pod) {
  nominator.Remove(PodUid(*pod->pod));
  const std::string& node = pod->pod->status->nominated_node_name;
  if (!node.empty()) nominator.Add(pod, node);
}

void UpdateNomination(framework::Nominator& nominator, const api::Pod& before, const framework::PodInfoPtr& after) {
  if (before.status->nominated_node_name.empty() && after->pod->status->nominated_node_name.empty()) {
    const std::string node(nominator.NodeOf(PodUid(before)));
    if (node.empty()) return;
    nominator.Remove(PodUid(before));
    nominator.Add(after, node);
    return;
  }
  nominator.Remove(PodUid(before));
  NominateByStatus(nominator, after);
}

}  // namespace berth::queue
