// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_events.h"

#include <memory>
#include <optional>

#include <fmt/format.h>

namespace berth::remote {

using framework::ClusterEventWithHint;
using framework::PodInfo;
using framework::QueueingHint;

namespace {

std::string ProblemOfHint(const wire::Answer& answer) {
  if (!answer.has_hint()) return "it answers another step";
  return answer.hint().queue_size() == 1 ? "" : fmt::format("{} hints for 1 pod", answer.hint().queue_size());
}

}  // namespace

bool RemoteEvents::HasSaid() const {
  const std::shared_ptr<const OpenCalls::Session> known = calls_.LastKnown();
  return known != nullptr && !known->welcome.default_events();
}

std::vector<ClusterEventWithHint> RemoteEvents::EventsToRegister() const {
  std::vector<ClusterEventWithHint> events;
  const std::shared_ptr<const OpenCalls::Session> known = calls_.LastKnown();
  for (int i = 0; i < known->welcome.events_size(); ++i) {
    const wire::Registration& registration = known->welcome.events(i);
    const std::string& resource = kinds_.emplace_back(registration.resource());
    const std::optional<framework::ClusterEvent> event = EventOf(resource, registration.actions());
    if (!event) {
      calls_.handle()
          .log()
          .Named(calls_.name())
          .Warning("The remote plugin registers for what does not exist", {{"resource", resource}});
      continue;
    }
    ClusterEventWithHint& registered = events.emplace_back();
    registered.event = *event;
    registered.by_template = registration.by_template() || !registration.ask();
    if (!registration.ask()) continue;
    registered.hint = [this, i](const PodInfo& pod, const api::Object* before, const api::Object* after) {
      return Ask(static_cast<uint32_t>(i), pod, before, after);
    };
  }
  return events;
}

Result<QueueingHint> RemoteEvents::Ask(uint32_t registration, const PodInfo& pod, const api::Object* before,
                                       const api::Object* after) const {
  BERTH_ASSIGN_OR_RETURN(PluginCalls::Draft draft, calls_.Begin(0));
  wire::HintCall& call = *draft.call.mutable_hint();
  call.set_registration(registration);
  call.add_pods(calls_.IdOf(pod));
  if (before != nullptr) *call.mutable_before() = ToWire(*before);
  if (after != nullptr) *call.mutable_after() = ToWire(*after);
  BERTH_ASSIGN_OR_RETURN(const wire::Answer answer, calls_.Ask("QueueingHint", draft, ProblemOfHint));
  return answer.hint().queue(0) ? QueueingHint::Queue : QueueingHint::QueueSkip;
}

}  // namespace berth::remote
