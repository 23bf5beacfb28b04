// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/cluster_event.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::queue {

// Which parts of objects mean something to waiting pods; feature gates decide.
struct ChangeRules {
  bool resizes = true;               // what containers hold while they are resized in place
  bool resizes_at_pod_level = true;  // what the pod holds while spec.resources is resized
  bool generated_claims = true;      // resource claims made for the pod
  bool declared_features = true;     // of nodes
};

// The cluster events that a change of one object means for waiting pods: exactly those upstream derives. `before` is
// null for a new object, `after` for one that is gone. None when nothing changed that scheduling looks at.
//
// Pods: one that gets its node is a new assigned pod, so hints about it are given no `before`. One that waits tells
// nobody when it comes or goes, and its own updates (UnschedulablePod) concern it alone.
std::vector<framework::ClusterEvent> EventsOf(const api::Object* before, const api::Object* after,
                                              const ChangeRules& rules = {});

// Whether anything but the status has changed. Specs that are not shared count as different.
bool IsPodUpdated(const api::Pod& before, const api::Pod& after);

// The kind of the objects that such an event is about; empty for wildcards and for kinds that Berth does not know.
std::string_view KindOf(const framework::ClusterEvent& event);

// Whether a plugin that registered for `registered` is to be asked about `incoming`.
bool Matches(const framework::ClusterEvent& registered, const framework::ClusterEvent& incoming);

// As metrics and logs name it: "NodeAdd", "AssignedPodDelete".
std::string Label(const framework::ClusterEvent& event);

}  // namespace berth::queue
