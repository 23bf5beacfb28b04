// SPDX-License-Identifier: Apache-2.0
#include "store/hub/hub_watch.h"

#include <optional>
#include <utility>

namespace berth::store {
namespace {

// How many batches a watch fetches at once after it found nothing selected in the first.
constexpr size_t kBatchesPerLock = 64;

// The change as seen through the selection: entering it is Added, leaving it Deleted. Nothing if outside both times.
std::optional<Event> SeenThrough(const Selection& selection, const Event& event) {
  const bool was_in = event.previous != nullptr && selection.Matches(*event.previous);
  const bool is_in = event.type != Event::Type::Deleted && selection.Matches(*event.object);
  if (was_in && is_in) return event;
  if (is_in) return Event{Event::Type::Added, event.object, nullptr};
  if (!was_in) return std::nullopt;
  if (event.type == Event::Type::Deleted) return event;
  // It left the selection: report its last selected state, at the revision of the change.
  auto last = std::make_shared<Record>(*event.previous);
  last->modified = event.object->modified;
  return Event{Event::Type::Deleted, std::move(last), event.previous};
}

}  // namespace

HubWatch::HubWatch(std::shared_ptr<Hub> hub, const WatchOptions& options)
    : hub_(std::move(hub)),
      selection_(options.selection),
      bookmarks_(options.bookmarks),
      phase_(options.initial_events ? Phase::Initial : Phase::Changes),
      position_(options.initial_events ? 0 : options.after),
      told_(position_) {
  hub_->WatchOpened();
}

HubWatch::~HubWatch() { hub_->WatchEnded(); }

void HubWatch::Cancel() {
  cancelled_.store(true);
  hub_->WakeWatches();
}

WatchItem HubWatch::Next(Duration patience) {
  if (cancelled_.load()) return End(WatchItem::Kind::Closed, told_);
  switch (phase_) {
    case Phase::Initial: return TellInitial();
    case Phase::EndOfInitial: return TellEndOfInitial();
    case Phase::Changes: return TellChanges(patience);
    case Phase::Ended: break;
  }
  return last_word_;
}

WatchItem HubWatch::TellInitial() {
  const std::optional<Hub::Snapshot> snapshot = hub_->TakeSnapshot(selection_);
  if (!snapshot) return End(WatchItem::Kind::Closed, told_);
  position_ = snapshot->revision;
  phase_ = Phase::EndOfInitial;
  if (snapshot->objects.empty()) return TellEndOfInitial();
  WatchItem item{.kind = WatchItem::Kind::Batch, .revision = position_};
  item.events.reserve(snapshot->objects.size());
  for (const RecordPtr& object : snapshot->objects) item.events.push_back({Event::Type::Added, object, nullptr});
  return item;
}

WatchItem HubWatch::TellEndOfInitial() {
  phase_ = Phase::Changes;
  told_ = position_;
  return {.kind = WatchItem::Kind::Bookmark, .revision = position_, .end_of_initial = true};
}

WatchItem HubWatch::TellChanges(Duration patience) {
  const Hub::Deadline deadline = Hub::DeadlineIn(patience);
  size_t max = 1;
  for (;;) {
    const Hub::Fetched fetched = hub_->FetchAfter(position_, max, deadline, cancelled_);
    switch (fetched.progress) {
      case Hub::Progress::None: return TellSilence();
      case Hub::Progress::Expired: return End(WatchItem::Kind::Expired, fetched.floor);
      case Hub::Progress::Closed: return End(WatchItem::Kind::Closed, told_);
      case Hub::Progress::Batches: break;
    }
    for (const BatchPtr& batch : fetched.batches) {
      position_ = batch->revision;
      std::vector<Event> events = SelectFrom(*batch);
      if (events.empty()) continue;
      told_ = position_;
      return {.kind = WatchItem::Kind::Batch, .revision = position_, .events = std::move(events)};
    }
    max = kBatchesPerLock;
  }
}

WatchItem HubWatch::TellSilence() {
  if (!bookmarks_ || position_ == told_) return {.kind = WatchItem::Kind::Timeout, .revision = told_};
  told_ = position_;
  return {.kind = WatchItem::Kind::Bookmark, .revision = position_};
}

WatchItem HubWatch::End(WatchItem::Kind kind, Revision revision) {
  phase_ = Phase::Ended;
  last_word_ = {.kind = kind, .revision = revision};
  return last_word_;
}

std::vector<Event> HubWatch::SelectFrom(const Batch& batch) const {
  std::vector<Event> selected;
  for (const Event& event : batch.events) {
    if (auto seen = SeenThrough(selection_, event)) {
      if (selected.empty()) selected.reserve(batch.events.size());
      selected.push_back(std::move(*seen));
    }
  }
  return selected;
}

}  // namespace berth::store
