// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/extension_points/queue_sort.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace berth::queue {

// Plugins of one profile by their place in QueueProfile::plugins.
inline constexpr size_t kMaxPlugins = 128;
using PluginBits = std::bitset<kMaxPlugins>;

// Pods whose cycles must not run side by side are on one track, by number.
using Track = uint16_t;
using TrackOf = std::function<Track(const framework::PodInfo&)>;

// Where a pod that waits to be scheduled is.
enum class Place : uint8_t {
  None,
  Active,         // ready; ordered by QueueSort
  Backoff,        // tried not long ago; ready once its penalty is over
  ErrorBackoff,   // the same after an error, and never popped early
  Unschedulable,  // until an event that could help, or the flush
  Gated,          // a PreEnqueue plugin keeps it from being tried
  InFlight,       // popped: being decided or waiting at Permit
};

// A pod on its way through the queue, with what the queue remembers of earlier attempts. Owned by the queue, and by
// whoever popped it until it is given back or let go.
struct QueuedPod final : framework::QueuedPodInfo {
  uint32_t profile = 0;  // index of its QueueProfile

  // Why the last attempt failed. Pending plugins are in both sets.
  PluginBits rejectors;
  PluginBits pending;

  uint32_t unschedulable_count = 0;  // attempts that ended in a rejection: sets the penalty
  uint32_t error_count = 0;          // consecutive attempts that ended in an error: sets the penalty after an error
  std::optional<Timestamp> first_attempt;
  std::optional<Timestamp> flushed;  // when the five-minute flush last moved it
  bool was_flushed = false;          // it is tried because of that flush, not because of an event
  int16_t gating_plugin = -1;        // index in the profile; -1 when not gated

  // Kept by the queue.
  Place place = Place::None;
  Track track = 0;
  bool leads_ring = false;                     // the one of its ring that WaitingIndex knows
  uint32_t position = 0;                       // in its PodLine, or of its ring in WaitingIndex
  Timestamp backoff_until = Timestamp::min();  // a whole second; min() when there is no penalty
  uint64_t arrival = 0;                        // grows whenever `queued` is set: settles what QueueSort leaves open
  QueuedPod* next = nullptr;                   // neighbours in a lane of PodLine or a ring of WaitingIndex
  QueuedPod* previous = nullptr;
};

// Since when nothing has happened to a pod that waits.
inline Timestamp IdleSince(const QueuedPod& pod) {
  return pod.flushed && *pod.flushed > pod.queued ? *pod.flushed : pod.queued;
}

using QueuedPodPtr = std::unique_ptr<QueuedPod>;

}  // namespace berth::queue
