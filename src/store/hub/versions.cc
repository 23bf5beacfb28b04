// SPDX-License-Identifier: Apache-2.0
#include "store/hub/versions.h"

#include "base/check.h"

#include <algorithm>
#include <utility>

namespace berth::store {
namespace {

size_t BytesOf(const Record& record) {
  return sizeof(Record) + record.key.kind.size() + record.key.namespace_.size() + record.key.name.size() +
         record.uid.size() + record.fields.node_name.size() + record.fields.phase.size() +
         record.fields.scheduler_name.size();
}

// The memory an event holds beyond the current state: the replaced state, with its document unless that is shared.
size_t BytesOf(const Event& event) {
  size_t bytes = sizeof(Event) + sizeof(void*);
  if (event.type == Event::Type::Deleted) bytes += BytesOf(*event.object);
  if (event.previous != nullptr) {
    bytes += BytesOf(*event.previous);
    if (event.type == Event::Type::Deleted || event.object->value != event.previous->value) {
      bytes += event.previous->value->size();
    }
  }
  return bytes;
}

constexpr size_t kBytesOfBatch = sizeof(Batch) + 128;  // with its slot and allocator overhead

}  // namespace

const RecordPtr& Versions::Present(const Key& key) {
  const Entry* entry = table_.Find(key);
  return entry == nullptr ? kNoRecord : entry->second.present();
}

Versions::Change Versions::Begin(size_t expected_events) const {
  Change change;
  change.revision = head_ + 1;
  change.events.reserve(expected_events);
  change.entries.reserve(expected_events);
  change.bytes = kBytesOfBatch;
  return change;
}

void Versions::Append(Change& change, Event::Type type, Entry& entry, RecordPtr object, RecordPtr previous) {
  entry.second.Push(object, type == Event::Type::Deleted);
  const Event& event = change.events.emplace_back(Event{type, std::move(object), std::move(previous)});
  change.entries.push_back(&entry);
  change.bytes += BytesOf(event);
}

void Versions::Put(Change& change, Entry& entry, std::shared_ptr<Record> next) {
  RecordPtr previous = entry.second.present();
  next->modified = change.revision;
  next->created = change.revision;
  if (previous == nullptr) {
    ++objects_;
    return Append(change, Event::Type::Added, entry, std::move(next), nullptr);
  }
  next->created = previous->created;
  next->uid = previous->uid;
  Append(change, Event::Type::Modified, entry, std::move(next), std::move(previous));
}

void Versions::Remove(Change& change, Entry& entry) {
  RecordPtr previous = entry.second.present();
  BERTH_CHECK(previous != nullptr);
  auto last = std::make_shared<Record>(*previous);
  last->modified = change.revision;
  --objects_;
  Append(change, Event::Type::Deleted, entry, std::move(last), std::move(previous));
}

Versions::Dropped Versions::Publish(Change change) {
  BERTH_CHECK(change.revision == head_ + 1);
  head_ = change.revision;
  history_bytes_ += change.bytes;
  auto batch = std::make_shared<Batch>(Batch{change.revision, std::move(change.events)});
  ring_.push_back({std::move(batch), std::move(change.entries), change.bytes});
  // The newest batch stays however large it is, so a watch that keeps up never expires.
  while (history_bytes_ > max_history_bytes_ && below_floor_ + 1 < ring_.size()) RaiseFloor();
  return DropForgotten();
}

void Versions::RaiseFloor() {
  const Slot& slot = ring_[below_floor_++];
  floor_ = slot.batch->revision;
  history_bytes_ -= slot.bytes;
}

Versions::Dropped Versions::Compact(Revision revision) {
  BERTH_CHECK(revision <= head_);
  while (below_floor_ < ring_.size() && ring_[below_floor_].batch->revision <= revision) RaiseFloor();
  floor_ = std::max(floor_, revision);
  return DropForgotten();
}

Versions::Dropped Versions::Unpin(Revision revision) {
  pins_.erase(pins_.find(revision));
  return DropForgotten();
}

Versions::Dropped Versions::DropForgotten() {
  Dropped dropped;
  while (below_floor_ > 0 && (pins_.empty() || ring_.front().batch->revision <= *pins_.begin())) {
    Slot& slot = ring_.front();
    const Revision revision = slot.batch->revision;
    for (Entry* entry : slot.entries) {
      entry->second.ForgetBefore(revision);
      if (entry->second.Forgotten(revision)) table_.Erase(*entry);
    }
    dropped.batches.push_back(std::move(slot.batch));
    ring_.pop_front();
    --below_floor_;
  }
  return dropped;
}

void Versions::BatchesAfter(Revision revision, size_t max, std::vector<BatchPtr>& out) const {
  auto slot = std::partition_point(ring_.begin() + static_cast<std::ptrdiff_t>(below_floor_), ring_.end(),
                                   [&](const Slot& older) { return older.batch->revision <= revision; });
  for (; slot != ring_.end() && max > 0; ++slot, --max) out.push_back(slot->batch);
}

}  // namespace berth::store
