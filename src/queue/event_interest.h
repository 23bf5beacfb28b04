// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_event.h"
#include "queue/queue_profile.h"
#include "queue/queued_pod.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::queue {

// The registrations for one event.
struct EventInterest {
  struct Registration {
    size_t plugin = 0;                                // by its place in the profile
    const framework::QueueingHintFn* hint = nullptr;  // null means Queue
    bool by_template = true;
    const framework::HintKeys* keys = nullptr;  // null: every pod is asked
    size_t keys_place = 0;                      // among the profile's registrations with keys
  };
  struct OfProfile {
    std::vector<Registration> registrations;  // in the order of the plugins
    PluginBits plugins;                       // those of the registrations
    PluginBits gates;  // those that registered for it in this profile or under their name in another
  };

  std::string label;
  bool wildcard = false;  // means every pod, whatever rejected it
  bool anyone = false;    // true for wildcards, too
  std::vector<OfProfile> profiles;
};

// Finds those interested in an event; each kind of event is worked out when it first comes. Engine thread only.
class EventInterestTable {
 public:
  // `profiles` outlive the table; plugins without events may be appended to them.
  explicit EventInterestTable(const std::vector<QueueProfile>& profiles);

  // The answer lives as long as the table.
  const EventInterest& Of(const framework::ClusterEvent& event);

  // The registrations of a profile that have keys, each at its keys_place.
  const std::vector<EventInterest::Registration>& keyed(size_t profile) const { return keyed_[profile]; }

  // The wildcards of the queue itself.
  const EventInterest& unschedulable_timeout() const { return unschedulable_timeout_; }
  const EventInterest& force_activate() const { return force_activate_; }

 private:
  struct Registered {
    framework::ClusterEvent event;
    EventInterest::Registration registration;
  };
  EventInterest WorkOut(const framework::ClusterEvent& event) const;

  const std::vector<QueueProfile>& profiles_;
  std::vector<std::vector<Registered>> registered_;  // by profile
  std::vector<std::vector<EventInterest::Registration>> keyed_;
  std::unordered_map<uint64_t, EventInterest> known_;
  std::map<std::string, EventInterest, std::less<>> known_custom_;  // by label
  EventInterest unschedulable_timeout_;
  EventInterest force_activate_;
};

}  // namespace berth::queue
