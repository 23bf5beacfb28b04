// SPDX-License-Identifier: Apache-2.0
#include "queue/event_interest.h"

#include "base/string_map.h"
#include "queue/change_events.h"

#include <utility>

namespace berth::queue {
namespace {

using framework::ClusterEvent;
using framework::EventResource;

EventInterest Everyone(std::string label, size_t profiles) {
  return {.label = std::move(label),
          .wildcard = true,
          .anyone = true,
          .profiles = std::vector<EventInterest::OfProfile>(profiles)};
}

}  // namespace

EventInterestTable::EventInterestTable(const std::vector<QueueProfile>& profiles)
    : profiles_(profiles),
      unschedulable_timeout_(Everyone("UnschedulableTimeout", profiles.size())),
      force_activate_(Everyone("ForceActivate", profiles.size())) {
  for (const QueueProfile& profile : profiles) {
    std::vector<Registered>& registered = registered_.emplace_back();
    std::vector<EventInterest::Registration>& keyed = keyed_.emplace_back();
    for (size_t i = 0; i < profile.plugins.size(); ++i) {
      for (const framework::ClusterEventWithHint& event : profile.plugins[i].events) {
        EventInterest::Registration registration{
            .plugin = i,
            .hint = event.hint ? &event.hint : nullptr,
            .by_template = event.by_template || event.hint == nullptr,
            // Pods of one ring are found together, so they must need the same.
            .keys = event.by_template && event.hint ? event.keys.get() : nullptr,
            .keys_place = keyed.size(),
        };
        if (registration.keys != nullptr) keyed.push_back(registration);
        registered.push_back({event.event, registration});
      }
    }
  }
}

const EventInterest& EventInterestTable::Of(const ClusterEvent& event) {
  if (event.resource == EventResource::Custom) {
    const std::string label = Label(event);
    const auto known = known_custom_.find(label);
    return known != known_custom_.end() ? known->second : known_custom_.emplace(label, WorkOut(event)).first->second;
  }
  const uint64_t key = (static_cast<uint64_t>(event.resource) << 32U) | event.actions;
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  return known_.emplace(key, WorkOut(event)).first->second;
}

EventInterest EventInterestTable::WorkOut(const ClusterEvent& event) const {
  if (event.resource == EventResource::WildCard && event.actions == framework::kAll) {
    return Everyone(Label(event), profiles_.size());
  }
  EventInterest interest{.label = Label(event), .profiles = {}};
  StringSet names;
  for (size_t p = 0; p < registered_.size(); ++p) {
    EventInterest::OfProfile& of_profile = interest.profiles.emplace_back();
    for (const auto& [registered, registration] : registered_[p]) {
      if (!Matches(registered, event)) continue;
      interest.anyone = true;
      of_profile.registrations.push_back(registration);
      of_profile.plugins.set(registration.plugin);
      names.insert(profiles_[p].plugins[registration.plugin].name);
    }
  }
  // Upstream keeps the events of gating plugins by name alone, so that profiles share them.
  for (size_t p = 0; p < profiles_.size(); ++p) {
    for (size_t i = 0; i < profiles_[p].plugins.size(); ++i) {
      if (names.contains(profiles_[p].plugins[i].name)) interest.profiles[p].gates.set(i);
    }
  }
  return interest;
}

}  // namespace berth::queue
