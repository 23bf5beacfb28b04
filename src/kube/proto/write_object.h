// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The few objects that a scheduler writes often, as enveloped protobuf: half the bytes of JSON, and much less work for
// the API server.
namespace berth::kube::proto {

// v1 Binding: the pod of that uid goes to the node.
std::string WriteBinding(std::string_view ns, std::string_view pod, std::string_view uid, std::string_view node);

// Whom an event is about.
struct ObjectReference {
  std::string_view kind = {};
  std::string_view namespace_ = {};
  std::string_view name = {};
  std::string_view uid = {};
  std::string_view api_version = {};
  std::string_view resource_version = {};
};

struct EventSeries {
  int32_t count = 0;
  Timestamp last_observed = {};
};

// events.k8s.io/v1 Event.
struct EventFields {
  std::string_view namespace_ = {};
  std::string_view name = {};
  Timestamp time = {};
  std::optional<EventSeries> series = {};
  std::string_view controller = {};
  std::string_view instance = {};
  std::string_view action = {};
  std::string_view reason = {};
  ObjectReference regarding = {};
  std::optional<ObjectReference> related = {};
  std::string_view note = {};
  std::string_view type = {};
};
std::string WriteEvent(const EventFields& event);

}  // namespace berth::kube::proto
