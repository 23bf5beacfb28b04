// SPDX-License-Identifier: Apache-2.0
#include "store/faulty_store.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::store {
namespace {

Error UnavailableError(const char* what) {
  return {ErrorCode::Unavailable, fmt::format("cannot {}: the store does not answer, nothing was done", what)};
}

Error UnknownError(const char* what) {
  return {ErrorCode::Unknown, fmt::format("the answer to {} was lost: it may have been done", what)};
}

}  // namespace

FaultyStore::FaultyStore(Store& inner, const FaultOptions& options, Sleep sleep)
    : inner_(inner), sleep_(std::move(sleep)), faults_(std::make_shared<FaultSource>(options)) {}

FaultyStore::~FaultyStore() { SealWatches(FaultSource::WatchFate::Cut, 0); }

template <typename Call>
auto FaultyStore::Writing(const char* what, Call call) -> decltype(call()) {
  const Fault fault = faults_->NextWrite();
  switch (fault) {
    case Fault::Unavailable: return UnavailableError(what);
    case Fault::UnknownUndone: return UnknownError(what);
    case Fault::UnknownDone: static_cast<void>(call()); return UnknownError(what);
    case Fault::Slow: sleep_(faults_->NextDelay()); break;
    case Fault::Late:
    case Fault::None: break;
  }
  auto answer = call();
  if (fault == Fault::Late) sleep_(faults_->NextDelay());
  return answer;
}

template <typename Call>
auto FaultyStore::Reading(const char* what, Call call) -> decltype(call()) {
  const Fault fault = faults_->NextRead();
  if (fault == Fault::Unavailable) return UnavailableError(what);
  if (fault == Fault::Slow) sleep_(faults_->NextDelay());
  return call();
}

void FaultyStore::SealWatches(FaultSource::WatchFate fate, Revision floor) {
  std::vector<std::weak_ptr<WatchLine>> lines;
  {
    MutexLock lock(mutex_);
    lines.swap(lines_);
  }
  for (const std::weak_ptr<WatchLine>& open : lines) {
    if (const std::shared_ptr<WatchLine> line = open.lock()) line->Seal(fate, floor);
  }
}

void FaultyStore::CutWatches() { SealWatches(FaultSource::WatchFate::Cut, 0); }

void FaultyStore::LoseHistory() {
  const Result<Revision> head = inner_.CurrentRevision();
  if (!head) return;
  {
    MutexLock lock(mutex_);
    lost_below_ = *head;
  }
  SealWatches(FaultSource::WatchFate::Expire, *head);
}

Revision FaultyStore::LostBelow() const {
  MutexLock lock(mutex_);
  return lost_below_;
}

Revision FaultyStore::CompactFloor() const { return std::max(inner_.CompactFloor(), LostBelow()); }

Stats FaultyStore::GetStats() const {
  Stats stats = inner_.GetStats();
  stats.compact_floor = std::max(stats.compact_floor, LostBelow());
  return stats;
}

Result<RecordPtr> FaultyStore::Get(const Key& key) {
  return Reading("get", [&] { return inner_.Get(key); });
}

Result<Page> FaultyStore::List(const ListOptions& options) {
  return Reading("list", [&] { return ListFromInner(options); });
}

Result<Page> FaultyStore::ListFromInner(const ListOptions& options) {
  if (options.match == ListOptions::Match::Any && options.continue_token.empty()) {
    if (std::optional<Page> past = ListOfThePast(options)) return std::move(*past);
  }
  Result<Page> page = inner_.List(options);
  // Only who asks for the past can be told that it is lost; the present cannot, however old it is by now.
  if (options.match != ListOptions::Match::Exact && options.continue_token.empty()) return page;
  const Revision lost_below = LostBelow();
  if (page && page->revision < lost_below) {
    return Error{ErrorCode::Expired,
                 fmt::format("cannot list at revision {}: the history begins at {}", page->revision, lost_below)};
  }
  return page;
}

std::optional<Page> FaultyStore::ListOfThePast(const ListOptions& options) {
  const Revision behind = faults_->NextStaleness();
  const Result<Revision> head = inner_.CurrentRevision();
  if (behind == 0 || !head) return std::nullopt;
  ListOptions past = options;
  past.match = ListOptions::Match::Exact;
  past.revision = std::max(*head - behind, CompactFloor());
  Result<Page> page = inner_.List(past);
  if (!page) return std::nullopt;
  return std::move(*page);
}

Result<std::unique_ptr<Watch>> FaultyStore::OpenWatch(const WatchOptions& options) {
  return Reading("watch", [&] { return OpenLine(options); });
}

Result<std::unique_ptr<Watch>> FaultyStore::OpenLine(WatchOptions options) {
  const Revision after = options.initial_events ? 0 : options.after;
  if (!options.initial_events) {
    // Not so early that it would be expired, unless it is anyway.
    options.after = std::min(after, std::max(after - faults_->NextRepetition(), CompactFloor()));
  }
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<Watch> inner, inner_.OpenWatch(options));
  auto line = std::make_shared<WatchLine>(std::move(inner));
  {
    MutexLock lock(mutex_);
    std::erase_if(lines_, [](const std::weak_ptr<WatchLine>& open) { return open.expired(); });
    lines_.push_back(line);
  }
  // After it was added to the lines, so that no loss of history escapes it.
  const Revision lost_below = LostBelow();
  if (!options.initial_events && after < lost_below) line->Seal(FaultSource::WatchFate::Expire, lost_below);
  return std::unique_ptr<Watch>(std::make_unique<FaultyWatch>(std::move(line), faults_, after));
}

Result<CommitOutcome> FaultyStore::Commit(Transaction transaction) {
  return Writing("commit", [&] { return inner_.Commit(std::move(transaction)); });
}

Result<BindReply> FaultyStore::Bind(std::span<const Binding> bindings, const std::optional<Fence>& fence) {
  return Writing("bind", [&] { return inner_.Bind(bindings, fence); });
}

Result<Revision> FaultyStore::CurrentRevision() {
  return Reading("ask for the head", [&] { return inner_.CurrentRevision(); });
}

Result<void> FaultyStore::WaitFor(Revision revision, Duration patience) {
  return Reading("wait for a revision", [&] { return inner_.WaitFor(revision, patience); });
}

Result<Lease> FaultyStore::AcquireLease(std::string_view name, std::string_view holder, Duration ttl) {
  return Writing("acquire a lease", [&] { return inner_.AcquireLease(name, holder, ttl); });
}

Result<Lease> FaultyStore::RenewLease(const Lease& lease, Duration ttl) {
  return Writing("renew a lease", [&] { return inner_.RenewLease(lease, ttl); });
}

Result<void> FaultyStore::ReleaseLease(const Lease& lease) {
  return Writing("release a lease", [&] { return inner_.ReleaseLease(lease); });
}

Result<std::optional<Lease>> FaultyStore::ObserveLease(std::string_view name) {
  return Reading("observe a lease", [&] { return inner_.ObserveLease(name); });
}

}  // namespace berth::store
