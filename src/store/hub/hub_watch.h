// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/hub/hub.h"
#include "store/watch.h"

#include <atomic>
#include <memory>

namespace berth::store {

// A position in a hub's history and a selection. Keeps the hub alive, so that it may outlive the store. One thread
// calls Next; any thread may call Cancel.
class HubWatch final : public Watch {
 public:
  HubWatch(std::shared_ptr<Hub> hub, const WatchOptions& options);
  ~HubWatch() override;
  HubWatch(const HubWatch&) = delete;
  HubWatch& operator=(const HubWatch&) = delete;

  WatchItem Next(Duration patience) override;
  void Cancel() override;

 private:
  enum class Phase : uint8_t { Initial, EndOfInitial, Changes, Ended };

  WatchItem TellInitial();
  WatchItem TellEndOfInitial();
  WatchItem TellChanges(Duration patience);
  WatchItem TellSilence();
  WatchItem End(WatchItem::Kind kind, Revision revision);
  // The batch as seen through the selection; may be empty.
  std::vector<Event> SelectFrom(const Batch& batch) const;

  const std::shared_ptr<Hub> hub_;
  const Selection selection_;
  const bool bookmarks_;
  std::atomic<bool> cancelled_{false};
  Phase phase_;
  Revision position_;  // every change up to here was delivered or not selected
  Revision told_;      // the revision of the last item
  WatchItem last_word_;
};

}  // namespace berth::store
