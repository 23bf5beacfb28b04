// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/hosted_post_filter.h"

#include "remote/wire.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::plugin_host {

using framework::NodeId;
using framework::Status;
using framework::Verdicts;

namespace wire = plugin::v1;

namespace {

// Says whether they fit the cluster.
bool ReadVerdicts(const wire::PostFilterCall& call, const Bitset& nodes, Verdicts& verdicts) {
  verdicts.Reset(nodes);
  if (call.verdicts_size() != 0 && static_cast<size_t>(call.verdicts_size()) != nodes.Count()) return false;
  std::vector<Verdicts::Id> ids = {Verdicts::kPass};
  for (const wire::Status& reason : call.reasons()) {
    const std::optional<Status> status = remote::FromWire(reason);
    if (!status || status->ok()) return false;
    verdicts.set_plugin(reason.plugin());
    ids.push_back(verdicts.Intern(*status));
  }
  verdicts.set_plugin({});
  bool fits = true;
  int next = 0;
  nodes.ForEach([&](size_t node) {
    const uint32_t verdict = next < call.verdicts_size() ? call.verdicts(next++) : 0;
    if (verdict >= ids.size()) {
      fits = false;
    } else if (verdict != 0) {
      verdicts.Reject(static_cast<NodeId>(node), ids[verdict]);
    }
  });
  return fits;
}

}  // namespace

void AnswerPostFilter(const wire::Call& call, const framework::PluginInstance& plugin, HostHandle& handle,
                      HostedCycle& cycle, wire::Answer& answer) {
  if (plugin.post_filter == nullptr) return answer.set_error("the plugin has no PostFilter");
  Verdicts verdicts;
  if (!ReadVerdicts(call.post_filter(), handle.mirror().cluster().live_nodes(), verdicts)) {
    return answer.set_error("the call's verdicts do not fit the cluster that was told");
  }
  CollectedEvictions& evictions = handle.evictions();
  evictions.Forget();
  std::vector<std::string> preempting;
  if (call.post_filter().preempting()) preempting.emplace_back(framework::PodUid(*cycle.pod->pod));
  evictions.SetPreempting(std::move(preempting));
  handle.runner().SetCall(call.id());
  const framework::PostFilterResult result =
      plugin.post_filter->PostFilter(cycle.state, *cycle.pod, handle.mirror().cluster(), verdicts);
  handle.runner().SetCall(0);
  wire::PostFilterAnswer& written = *answer.mutable_post_filter();
  *written.mutable_status() = remote::ToWire(result.status);
  written.set_overrides(result.mode == framework::PostFilterResult::Mode::Override);
  written.set_nominated_node(result.nominated_node);
  for (const framework::PodInfoPtr& victim : evictions.victims()) {
    written.add_victims(handle.mirror().IdOf(framework::PodUid(*victim->pod)));
  }
  written.set_tried_preemption(evictions.was_tried());
}

}  // namespace berth::plugin_host
