// SPDX-License-Identifier: Apache-2.0
#include "engine/flaky_store.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace berth::test {

using store::Event;
using store::WatchItem;

namespace {

void Linger(Duration duration) {
  if (duration > Duration::zero()) std::this_thread::sleep_for(duration);
}

Error Unavailable() { return {ErrorCode::Unavailable, "the store does not answer"}; }

// The objects from the last that changed to the first, each with its changes in their order, and then with those told
// again that are out of date. What would bring a former object of that name back to life is left out: who is told of it
// cannot know better.
std::vector<Event> Mixed(const std::vector<Event>& events) {
  std::vector<store::Key> keys;
  std::map<store::Key, std::vector<Event>> changes;
  for (const Event& event : events) {
    std::vector<Event>& own = changes[event.object->key];
    if (own.empty()) keys.push_back(event.object->key);
    own.push_back(event);
  }
  std::ranges::reverse(keys);
  std::vector<Event> mixed;
  for (const store::Key& key : keys) {
    const std::vector<Event>& own = changes.at(key);
    mixed.insert(mixed.end(), own.begin(), own.end());
    const Event& last = own.back();
    if (last.type == Event::Type::Deleted) continue;
    std::copy_if(own.begin(), std::prev(own.end()), std::back_inserter(mixed), [&](const Event& old) {
      return old.type == Event::Type::Deleted || old.object->created == last.object->created;
    });
  }
  return mixed;
}

uint64_t CountDisorders(const std::vector<Event>& events) {
  uint64_t count = 0;
  for (size_t i = 1; i < events.size(); ++i) {
    if (events[i].object->modified < events[i - 1].object->modified) ++count;
  }
  return count;
}

}  // namespace

// Tells what the watch behind tells, until something goes wrong.
class FlakyStore::FlakyWatch final : public store::Watch {
 public:
  FlakyWatch(FlakyStore& store, std::unique_ptr<store::Watch> inner) : store_(store), inner_(std::move(inner)) {}

  WatchItem Next(Duration patience) override {
    if (ended_) return *ended_;
    bool mix = false;
    switch (store_.NextWatchFault()) {
      case WatchFault::None: break;
      case WatchFault::Cut: return End(WatchItem::Kind::Closed);
      case WatchFault::Expire: return End(WatchItem::Kind::Expired);
      case WatchFault::RepeatLast:
        if (!told_.empty()) return told_[turn_++ % told_.size()];
        break;
      case WatchFault::Mix: mix = true; break;
    }
    WatchItem item = mix ? FetchMixed(patience) : Fetch(patience);
    if (item.kind == WatchItem::Kind::Batch) {
      constexpr size_t kRemembered = 8;
      store_.batches_told_.fetch_add(1);
      if (told_.size() == kRemembered) told_.erase(told_.begin());
      told_.push_back(item);
    }
    return item;
  }
  void Cancel() override { inner_->Cancel(); }

 private:
  WatchItem End(WatchItem::Kind kind) {
    ended_ = WatchItem{.kind = kind};
    return *ended_;
  }

  WatchItem Fetch(Duration patience) {
    if (!read_ahead_) return inner_->Next(patience);
    WatchItem item = *std::move(read_ahead_);
    read_ahead_.reset();
    return item;
  }
  WatchItem FetchMixed(Duration patience) {
    WatchItem item = Fetch(patience);
    if (item.kind != WatchItem::Kind::Batch) return item;
    WatchItem next = Fetch(Duration(0));
    while (next.kind == WatchItem::Kind::Batch) {
      item.revision = next.revision;
      item.events.insert(item.events.end(), next.events.begin(), next.events.end());
      next = Fetch(Duration(0));
    }
    if (next.kind != WatchItem::Kind::Timeout) read_ahead_ = std::move(next);
    item.events = Mixed(item.events);
    store_.disorders_.fetch_add(CountDisorders(item.events));
    return item;
  }

  FlakyStore& store_;
  const std::unique_ptr<store::Watch> inner_;
  std::optional<WatchItem> read_ahead_;
  std::vector<WatchItem> told_;
  size_t turn_ = 0;
  std::optional<WatchItem> ended_;
};

void FlakyStore::Set(const Faults& faults) {
  const MutexLock lock(mutex_);
  faults_ = faults;
}

Faults FlakyStore::faults() const {
  const MutexLock lock(mutex_);
  return faults_;
}

bool FlakyStore::Strikes(uint64_t one_in) {
  if (one_in == 0) return false;
  {
    const MutexLock lock(mutex_);
    if (rng_.Below(one_in) != 0) return false;
  }
  injected_.fetch_add(1);
  return true;
}

FlakyStore::WatchFault FlakyStore::NextWatchFault() {
  if (watch_plan_) {
    const WatchFault planned = watch_plan_(batches_told_.load());
    if (planned != WatchFault::None) injected_.fetch_add(1);
    return planned;
  }
  const Faults chances = faults();
  if (Strikes(chances.cut_watch)) return WatchFault::Cut;
  if (Strikes(chances.repeated_batch)) return WatchFault::RepeatLast;
  return WatchFault::None;
}

template <typename T, typename Call>
Result<T> FlakyStore::Write(const Call& call) {
  const Faults chances = faults();
  Linger(chances.slow_request);
  if (Strikes(chances.unavailable_write)) return Unavailable();
  if (Strikes(chances.lost_request)) return Error{ErrorCode::Unknown, "the request may be lost"};
  Result<T> outcome = call();
  Linger(chances.slow_answer);
  if (Strikes(chances.lost_answer)) return Error{ErrorCode::Unknown, "the answer is lost"};
  return outcome;
}

Result<store::RecordPtr> FlakyStore::Get(const store::Key& key) {
  if (Strikes(faults().unavailable_read)) return Unavailable();
  return inner_->Get(key);
}

Result<store::Page> FlakyStore::List(const store::ListOptions& options) {
  const Faults chances = faults();
  if (Strikes(chances.unavailable_read)) return Unavailable();
  if (!options.continue_token.empty()) return inner_->List(options);  // belongs to the page before
  constexpr store::Revision kLag = 10;
  BERTH_ASSIGN_OR_RETURN(const store::Revision present, inner_->CurrentRevision());
  const store::Revision past = std::max({present - kLag, inner_->CompactFloor(), store::Revision{1}});
  if (past < present && Strikes(chances.stale_list)) {
    store::ListOptions of_the_past = options;
    of_the_past.match = store::ListOptions::Match::Exact;
    of_the_past.revision = past;
    return inner_->List(of_the_past);
  }
  Result<store::Page> page = inner_->List(options);
  if (page && past < present && Strikes(chances.understated_list)) {
    std::ranges::reverse(page->objects);
    page->revision = past;
  }
  return page;
}

Result<std::unique_ptr<store::Watch>> FlakyStore::OpenWatch(const store::WatchOptions& options) {
  if (Strikes(faults().unavailable_read)) return Unavailable();
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<store::Watch> watch, inner_->OpenWatch(options));
  return std::unique_ptr<store::Watch>(std::make_unique<FlakyWatch>(*this, std::move(watch)));
}

Result<store::CommitOutcome> FlakyStore::Commit(store::Transaction transaction) {
  return Write<store::CommitOutcome>([&] { return inner_->Commit(std::move(transaction)); });
}

Result<store::BindReply> FlakyStore::Bind(std::span<const store::Binding> bindings,
                                          const std::optional<store::Fence>& fence) {
  binds_.fetch_add(1);
  return Write<store::BindReply>([&] { return inner_->Bind(bindings, fence); });
}

Result<store::Lease> FlakyStore::AcquireLease(std::string_view name, std::string_view holder, Duration ttl) {
  if (leases_unreachable) return Unavailable();
  return inner_->AcquireLease(name, holder, ttl);
}

Result<store::Lease> FlakyStore::RenewLease(const store::Lease& lease, Duration ttl) {
  if (leases_unreachable) return Unavailable();
  return inner_->RenewLease(lease, ttl);
}

}  // namespace berth::test
