// SPDX-License-Identifier: Apache-2.0
// How the outbox writes statuses, evictions and events.
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"
#include "scheduler/outbox.h"
#include "scheduler/status_document.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {
namespace {

constexpr size_t kEventsPerTransaction = 128;

}  // namespace

void Outbox::CountEviction(const std::string& preemptor_uid, int change) {
  const MutexLock lock(mutex_);
  size_t& count = evictions_for_[preemptor_uid];
  count += static_cast<size_t>(change);
  if (count == 0) evictions_for_.erase(preemptor_uid);
}

bool Outbox::PumpPatches() {
  std::list<Due<StatusPatch>> one;
  size_t left = 0;
  {
    const MutexLock lock(mutex_);
    const Timestamp now = clock_.Now();
    const auto it = std::ranges::find_if(patches_, [&](const auto& patch) { return IsDue(patch.not_before, now); });
    if (it == patches_.end()) return false;
    patch_of_pod_.erase(patch_of_pod_.find(it->request.uid));
    one.splice(one.begin(), patches_, it);
    left = patches_.size();
  }
  Due<StatusPatch>& due = one.front();
  const metrics::Stopwatch watch;
  const Result<bool> settled = WritePatch(due.request);
  if (metrics_ != nullptr) {
    metrics_->AsyncCallDone(metrics::AsyncCall::PodStatusPatch, settled ? "success" : "error", watch.Elapsed());
    metrics_->SetPendingAsyncCalls(metrics::AsyncCall::PodStatusPatch, left);
  }
  if (settled && *settled) return true;
  // A patch that keeps failing is dropped: the next attempt of the pod writes its status anew. So does another leader.
  if (++due.tries >= options_.write_tries || (!settled && settled.error().code == ErrorCode::Fenced)) return true;
  due.not_before = clock_.Now() + (settled ? Duration(0) : Pause(due.tries));
  const MutexLock lock(mutex_);
  if (const auto it = patch_of_pod_.find(due.request.uid); it != patch_of_pod_.end()) {
    // What was asked meanwhile is newer; what it does not mention is still wanted.
    StatusPatch& newer = it->second->request;
    if (!newer.condition) {
      newer.condition = due.request.condition;
      newer.observed_generation = due.request.observed_generation;
    }
    if (!newer.nominated_node) newer.nominated_node = due.request.nominated_node;
    return true;
  }
  patches_.splice(patches_.end(), one);
  patch_of_pod_.emplace(patches_.back().request.uid, std::prev(patches_.end()));
  return true;
}

Result<bool> Outbox::WritePatch(const StatusPatch& patch) {
  const Result<store::RecordPtr> found = store_.Get(patch.pod);
  if (!found) {
    if (found.error().code == ErrorCode::NotFound) return true;
    return found.error();
  }
  const store::Record& record = **found;
  if (record.uid != patch.uid) return true;
  BERTH_ASSIGN_OR_RETURN(std::optional<std::string> document, ApplyStatusPatch(*record.value, patch, clock_.Now()));
  if (!document) return true;
  store::Transaction transaction;
  transaction.preconditions.push_back({patch.pod, store::Precondition::Test::ModifiedAt, record.modified, {}});
  transaction.operations.push_back(
      {store::Operation::Type::Update, patch.pod, record.uid, *std::move(document), record.fields});
  const std::optional<store::Fence> carried = fence();
  transaction.fence = carried;
  const Result<store::CommitOutcome> outcome = store_.Commit(std::move(transaction));
  if (outcome) return outcome->committed;
  NoteRefusal(outcome.error(), carried);
  return outcome.error();
}

bool Outbox::PumpEvictions() {
  std::optional<Due<EvictionRequest>> taken;
  {
    const MutexLock lock(mutex_);
    const Timestamp now = clock_.Now();
    const auto it =
        std::ranges::find_if(evictions_, [&](const auto& eviction) { return IsDue(eviction.not_before, now); });
    if (it == evictions_.end()) return false;
    taken = std::move(*it);
    evictions_.erase(it);
  }
  const metrics::Stopwatch watch;
  const Result<bool> written = WriteEviction(taken->request);
  if (metrics_ != nullptr) metrics_->PreemptionWork(written.has_value(), watch.Elapsed());
  if (written) {
    // The preemptor may have heard of the deletion while it was still kept back by this eviction.
    if (!*written || taken->tries > 0) inbox_.Post(ActivateRequest{{taken->request.preemptor_uid}});
    return true;
  }
  if (written.error().code == ErrorCode::Fenced) {
    // Who makes room for whom is another's business now. Should we lead again, the pod is to be decided anew.
    CountEviction(taken->request.preemptor_uid, -1);
    inbox_.Post(ActivateRequest{{taken->request.preemptor_uid}});
    return true;
  }
  // Otherwise never given up: a pod was promised the room.
  ++taken->tries;
  taken->not_before = clock_.Now() + Pause(taken->tries);
  const MutexLock lock(mutex_);
  evictions_.push_back(*std::move(taken));
  return true;
}

Result<bool> Outbox::WriteEviction(const EvictionRequest& request) {
  StatusPatch patch;
  patch.pod = request.pod;
  patch.uid = request.uid;
  patch.condition = api::Condition{"DisruptionTarget", "True", "PreemptionByScheduler", request.message};
  BERTH_ASSIGN_OR_RETURN(const bool marked, WritePatch(patch));
  if (!marked) return Error{ErrorCode::Conflict, store::ToText(request.pod) + " changed meanwhile"};
  store::Transaction transaction;
  transaction.preconditions.push_back({request.pod, store::Precondition::Test::UidIs, 0, request.uid});
  transaction.operations.push_back({store::Operation::Type::Delete, request.pod, {}, {}, {}});
  const std::optional<store::Fence> carried = fence();
  transaction.fence = carried;
  CountEviction(request.preemptor_uid, -1);
  const Result<store::CommitOutcome> outcome = store_.Commit(std::move(transaction));
  if (outcome) return outcome->committed;
  NoteRefusal(outcome.error(), carried);
  CountEviction(request.preemptor_uid, +1);
  return outcome.error();
}

bool Outbox::PumpEvents() {
  std::vector<EventNote> notes;
  {
    const MutexLock lock(mutex_);
    if (events_.empty() || !IsDue(events_not_before_, clock_.Now())) return false;
    while (!events_.empty() && notes.size() < kEventsPerTransaction) {
      notes.push_back(std::move(events_.front()));
      events_.pop_front();
    }
  }
  store::Transaction transaction;
  for (const EventNote& note : notes) transaction.operations.push_back(CreateEvent(note));
  const Result<store::CommitOutcome> outcome = store_.Commit(std::move(transaction));
  const bool refused = !outcome && outcome.error().code == ErrorCode::Unavailable;
  events_tries_ = refused ? events_tries_ + 1 : 0;
  if (outcome && !outcome->committed) {
    // One of that name is there already. The others are not to suffer for it.
    notes.erase(notes.begin() + static_cast<std::ptrdiff_t>(outcome->index));
  } else if (!refused) {
    return true;
  }
  const Duration pause = refused ? Pause(events_tries_) : Duration(0);
  const MutexLock lock(mutex_);
  events_not_before_ = clock_.Now() + pause;
  events_.insert(events_.begin(), std::make_move_iterator(notes.begin()), std::make_move_iterator(notes.end()));
  return true;
}

store::Operation Outbox::CreateEvent(const EventNote& note) {
  // As upstream names them: the object's name and a number no other event of this scheduler has.
  const std::string name =
      fmt::format("{}.{:x}.{:x}", note.pod.name, note.time.time_since_epoch().count(), ++event_sequence_);
  store::Operation create;
  create.type = store::Operation::Type::Create;
  create.key = {"Event", note.pod.namespace_.empty() ? "default" : note.pod.namespace_, name};
  create.uid = create.key.namespace_ + "/" + name;
  create.value = EventDocument(note, name);
  return create;
}

}  // namespace berth::scheduler
