// SPDX-License-Identifier: Apache-2.0
#include "support/faulty_store.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

namespace berth::test {

using store::Page;
using store::Revision;

namespace {

// How far behind the present an outdated list is, and how far an understated one pretends to be.
constexpr Revision kLag = 10;

Error UnavailableError(const char* what) {
  return {ErrorCode::Unavailable, fmt::format("cannot {}: the store does not answer, nothing was done", what)};
}

Error UnknownError(const char* what) {
  return {ErrorCode::Unknown, fmt::format("the answer to {} was lost: it may have been done", what)};
}

}  // namespace

FaultyStore::FaultyStore(uint64_t seed, Sleep sleep)
    : sleep_(std::move(sleep)), faults_(std::make_shared<FaultSource>(seed)) {}

FaultyStore::~FaultyStore() { SealWatches(WatchFault::Cut, 0); }

void FaultyStore::SleepOnThread(Duration duration) { std::this_thread::sleep_for(duration); }

template <typename Call>
auto FaultyStore::Writing(const char* what, Call call) -> decltype(call()) {
  const FaultSource::Fate fate = faults_->NextWrite();
  if (fate.slow_request) sleep_(faults_->delay());
  if (fate.fault == Fault::Unavailable) return UnavailableError(what);
  if (fate.fault == Fault::LostRequest) return UnknownError(what);
  auto answer = call();
  if (fate.slow_answer) sleep_(faults_->delay());
  if (fate.fault == Fault::LostAnswer) return UnknownError(what);
  return answer;
}

template <typename Call>
auto FaultyStore::Reading(const char* what, Call call) -> decltype(call()) {
  const FaultSource::Fate fate = faults_->NextRead();
  if (fate.slow_request) sleep_(faults_->delay());
  if (fate.fault == Fault::Unavailable) return UnavailableError(what);
  return call();
}

void FaultyStore::SealWatches(WatchFault end, Revision floor) {
  std::vector<std::weak_ptr<WatchLine>> lines;
  {
    MutexLock lock(mutex_);
    lines.swap(lines_);
  }
  for (const std::weak_ptr<WatchLine>& open : lines) {
    if (const std::shared_ptr<WatchLine> line = open.lock()) line->Seal(end, floor);
  }
}

void FaultyStore::CutWatches() { SealWatches(WatchFault::Cut, 0); }

void FaultyStore::LoseHistory() {
  const Result<Revision> head = inner_->CurrentRevision();
  if (!head) return;
  {
    MutexLock lock(mutex_);
    lost_below_ = *head;
  }
  SealWatches(WatchFault::Expire, *head);
}

Revision FaultyStore::LostBelow() const {
  MutexLock lock(mutex_);
  return lost_below_;
}

Revision FaultyStore::CompactFloor() const { return std::max(inner_->CompactFloor(), LostBelow()); }

store::Stats FaultyStore::GetStats() const {
  store::Stats stats = inner_->GetStats();
  stats.compact_floor = std::max(stats.compact_floor, LostBelow());
  return stats;
}

Result<store::RecordPtr> FaultyStore::Get(const store::Key& key) {
  return Reading("get", [&] { return inner_->Get(key); });
}

Result<Page> FaultyStore::List(const store::ListOptions& options) {
  return Reading("list", [&] { return ListFromInner(options); });
}

Result<Page> FaultyStore::ListFromInner(const store::ListOptions& options) {
  using Match = store::ListOptions::Match;
  Result<Page> page = options.continue_token.empty() ? FirstPage(options) : inner_->List(options);
  // Only who asks for the past can be told that it is lost; the present cannot, however old it is by now.
  if (options.match != Match::Exact && options.continue_token.empty()) return page;
  const Revision lost_below = LostBelow();
  if (page && page->revision < lost_below) {
    return Error{ErrorCode::Expired,
                 fmt::format("cannot list at revision {}: the history begins at {}", page->revision, lost_below)};
  }
  return page;
}

Result<Page> FaultyStore::FirstPage(const store::ListOptions& options) {
  using Match = store::ListOptions::Match;
  BERTH_ASSIGN_OR_RETURN(const Revision present, inner_->CurrentRevision());
  const Revision staleness = options.match == Match::Any ? faults_->NextStaleness() : 0;
  const Revision lagging = std::max({present - kLag, CompactFloor(), Revision{1}});
  const bool can_lag = lagging < present;
  store::ListOptions past = options;
  past.match = Match::Exact;
  past.revision = staleness > 0 ? std::max(present - staleness, CompactFloor()) : lagging;
  if (staleness > 0 || (can_lag && faults_->NextIsOutdated())) {
    if (Result<Page> old = inner_->List(past)) return old;
  }
  Result<Page> page = inner_->List(options);
  if (page && can_lag && faults_->NextIsUnderstated()) {
    std::ranges::reverse(page->objects);
    page->revision = lagging;
  }
  return page;
}

Result<std::unique_ptr<store::Watch>> FaultyStore::OpenWatch(const store::WatchOptions& options) {
  return Reading("watch", [&] { return OpenLine(options); });
}

Result<std::unique_ptr<store::Watch>> FaultyStore::OpenLine(store::WatchOptions options) {
  const Revision after = options.initial_events ? 0 : options.after;
  if (!options.initial_events) {
    // Not so early that it would be expired, unless it is anyway.
    options.after = std::min(after, std::max(after - faults_->NextEarliness(), CompactFloor()));
  }
  BERTH_ASSIGN_OR_RETURN(std::unique_ptr<store::Watch> inner, inner_->OpenWatch(options));
  auto line = std::make_shared<WatchLine>(std::move(inner));
  {
    MutexLock lock(mutex_);
    std::erase_if(lines_, [](const std::weak_ptr<WatchLine>& open) { return open.expired(); });
    lines_.push_back(line);
  }
  // After it was added to the lines, so that no loss of history escapes it.
  const Revision lost_below = LostBelow();
  if (!options.initial_events && after < lost_below) line->Seal(WatchFault::Expire, lost_below);
  return std::unique_ptr<store::Watch>(std::make_unique<FaultyWatch>(std::move(line), faults_, disorders_, after));
}

Result<store::CommitOutcome> FaultyStore::Commit(store::Transaction transaction) {
  return Writing("commit", [&] { return inner_->Commit(std::move(transaction)); });
}

Result<store::BindReply> FaultyStore::Bind(std::span<const store::Binding> bindings,
                                           const std::optional<store::Fence>& fence) {
  binds_.fetch_add(1);
  return Writing("bind", [&] { return inner_->Bind(bindings, fence); });
}

Result<Revision> FaultyStore::CurrentRevision() {
  return Reading("ask for the head", [&] { return inner_->CurrentRevision(); });
}

Result<void> FaultyStore::WaitFor(Revision revision, Duration patience) {
  return Reading("wait for a revision", [&] { return inner_->WaitFor(revision, patience); });
}

Result<store::Lease> FaultyStore::AcquireLease(std::string_view name, std::string_view holder, Duration ttl) {
  if (leases_unreachable) return UnavailableError("acquire a lease");
  return Writing("acquire a lease", [&] { return inner_->AcquireLease(name, holder, ttl); });
}

Result<store::Lease> FaultyStore::RenewLease(const store::Lease& lease, Duration ttl) {
  if (leases_unreachable) return UnavailableError("renew a lease");
  return Writing("renew a lease", [&] { return inner_->RenewLease(lease, ttl); });
}

Result<void> FaultyStore::ReleaseLease(const store::Lease& lease) {
  return Writing("release a lease", [&] { return inner_->ReleaseLease(lease); });
}

Result<std::optional<store::Lease>> FaultyStore::ObserveLease(std::string_view name) {
  return Reading("observe a lease", [&] { return inner_->ObserveLease(name); });
}

}  // namespace berth::test
