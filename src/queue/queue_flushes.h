// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "queue/event_interest.h"
#include "queue/in_flight.h"
#include "queue/queue_moves.h"
#include "queue/queue_options.h"
#include "queue/queue_places.h"

#include <optional>

namespace berth::queue {

// What time does to the pods in the queue: penalties end, and pods that have waited too long are tried again. Engine
// thread only.
class QueueFlushes {
 public:
  // Everything outlives this.
  QueueFlushes(const QueueOptions& options, const EventInterestTable& interests, QueuePlaces& places, QueueMoves& moves,
               InFlight& in_flight, Timestamp now);

  // Moves what time has made ready.
  void Flush(Timestamp now);
  // When there is something to flush next.
  std::optional<Timestamp> NextFlush() const;

 private:
  void FlushBackoff(Timestamp now);
  void FlushWaiting(Timestamp now);
  std::optional<Timestamp> NextWaitingFlush() const;

  const QueueOptions& options_;
  const EventInterestTable& interests_;
  QueuePlaces& places_;
  QueueMoves& moves_;
  InFlight& in_flight_;
  Timestamp next_waiting_flush_;
};

}  // namespace berth::queue
