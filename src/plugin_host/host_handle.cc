// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/host_handle.h"

namespace berth::plugin_host {

void HostHandle::Record(const api::PodPtr& about, const api::PodPtr& /*related*/, framework::PodEvent event) {
  const uint64_t pod = mirror_.IdOf(framework::PodUid(*about));
  if (pod == 0) return;
  plugin::v1::PluginMessage message;
  plugin::v1::Event& told = *message.mutable_event();
  told.set_pod(pod);
  told.set_type(std::string(event.type));
  told.set_reason(std::string(event.reason));
  told.set_action(std::string(event.action));
  told.set_note(std::move(event.note));
  scheduler_.Send(message);
}

void HostHandle::Activate(std::vector<std::string> pod_uids) {
  plugin::v1::PluginMessage message;
  for (const std::string& uid : pod_uids) {
    if (const uint64_t pod = mirror_.IdOf(uid); pod != 0) message.mutable_activate()->add_pods(pod);
  }
  if (message.has_activate()) scheduler_.Send(message);
}

}  // namespace berth::plugin_host
