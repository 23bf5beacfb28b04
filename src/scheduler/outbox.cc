// SPDX-License-Identifier: Apache-2.0
#include "scheduler/outbox.h"

#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"
#include "scheduler/attempt.h"
#include "scheduler/outbox_writer.h"
#include "scheduler/status_document.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Status;
using store::BindResult;

namespace {

// The write may have been done all the same.
bool IsUnknown(const Error& error) { return error.code == ErrorCode::Unknown || error.code == ErrorCode::Timeout; }

constexpr size_t kEventsPerTransaction = 128;

store::Binding BindingOf(const Attempt& attempt) {
  const api::Pod& pod = *attempt.pod->pod;
  return {OutboxWriter::KeyOf(pod), std::string(framework::PodUid(pod)), attempt.node, 0, 0};
}

Status StatusOf(BindResult result, const store::Binding& binding) {
  switch (result) {
    case BindResult::Bound: return Status::Success();
    case BindResult::Conflict:
      return Status::FromError(
          fmt::format("binding rejected: {} is already assigned to a node or has changed", store::ToText(binding.pod)));
    case BindResult::Gone: break;
  }
  return Status::FromError(fmt::format("binding rejected: {} not found", store::ToText(binding.pod)));
}

}  // namespace

Outbox::Outbox(store::Store& store, Inbox& inbox, const Clock& clock, const OutboxOptions& options,
               metrics::SchedulerMetrics* metrics)
    : store_(store), inbox_(inbox), clock_(clock), options_(options), metrics_(metrics), rng_(options.seed) {}

void Outbox::Bind(Attempt& attempt) {
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  bool was_idle = false;
  {
    const MutexLock lock(mutex_);
    was_idle = !std::exchange(requested_, true);
    bindings_.push_back({&attempt, 0, {}, false});
  }
  if (was_idle) arrived_.NotifyOne();
}

void Outbox::PatchStatus(StatusPatch patch) {
  {
    const MutexLock lock(mutex_);
    if (const auto it = patch_of_pod_.find(patch.uid); it != patch_of_pod_.end()) {
      StatusPatch& waiting = it->second->request;
      if (patch.condition) {
        waiting.condition = std::move(patch.condition);
        waiting.observed_generation = patch.observed_generation;
      }
      if (patch.nominated_node) waiting.nominated_node = std::move(patch.nominated_node);
      return;
    }
    requested_ = true;
    std::string uid = patch.uid;
    patches_.push_back({std::move(patch), 0, {}, false});
    patch_of_pod_.emplace(std::move(uid), std::prev(patches_.end()));
  }
  arrived_.NotifyOne();
}

void Outbox::Evict(EvictionRequest request) {
  {
    const MutexLock lock(mutex_);
    requested_ = true;
    ++evictions_for_[request.preemptor_uid];
    evictions_.push_back({std::move(request), 0, {}, false});
  }
  arrived_.NotifyOne();
}

bool Outbox::EvictsFor(std::string_view preemptor_uid) const {
  const MutexLock lock(mutex_);
  return evictions_for_.contains(preemptor_uid);
}

void Outbox::CountEviction(const std::string& preemptor_uid, int change) {
  const MutexLock lock(mutex_);
  size_t& count = evictions_for_[preemptor_uid];
  count += static_cast<size_t>(change);
  if (count == 0) evictions_for_.erase(preemptor_uid);
}

void Outbox::Record(EventNote note) {
  const MutexLock lock(mutex_);
  if (events_.size() >= options_.max_events) {
    dropped_events_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  events_.push_back(std::move(note));
  if (!std::exchange(requested_, true)) arrived_.NotifyOne();
}

Result<void> Outbox::BindNow(const store::Binding& binding) {
  const std::optional<store::Fence> carried = fence();
  const Result<store::BindReply> reply = store_.Bind({&binding, 1}, carried);
  BindResult result = BindResult::Gone;
  if (reply) {
    result = reply->items.front();
  } else if (IsUnknown(reply.error())) {
    const Result<store::RecordPtr> found = store_.Get(binding.pod);
    const bool is_there = found && (*found)->uid == binding.uid;
    const bool is_bound = is_there && !(*found)->fields.node_name.empty();
    const bool is_gone = found ? !is_there : found.error().code == ErrorCode::NotFound;
    if (!is_bound && !is_gone) {
      const MutexLock lock(mutex_);
      unknown_bindings_.insert(binding.uid);
      return reply.error();
    }
    if (is_bound) {
      result = (*found)->fields.node_name == binding.node ? BindResult::Bound : BindResult::Conflict;
    }
  } else {
    NoteRefusal(reply.error(), carried);
    return reply.error();
  }
  const Status status = StatusOf(result, binding);
  if (status.ok()) return {};
  return Error{result == BindResult::Gone ? ErrorCode::NotFound : ErrorCode::Conflict, status.Message()};
}

bool Outbox::SettleUnknown(Attempt& attempt) {
  const MutexLock lock(mutex_);
  const auto it = unknown_bindings_.find(framework::PodUid(*attempt.pod->pod));
  if (it == unknown_bindings_.end()) return false;
  unknown_bindings_.erase(it);
  unanswered_.fetch_add(1, std::memory_order_relaxed);
  Due<Attempt*> due;
  due.request = &attempt;
  due.look_first = true;
  bindings_.push_back(due);
  if (!std::exchange(requested_, true)) arrived_.NotifyOne();
  return true;
}

void Outbox::SetFence(store::Fence fence) {
  const MutexLock lock(mutex_);
  fence_ = std::move(fence);
}

void Outbox::NoteRefusal(const Error& error, const std::optional<store::Fence>& fence) {
  if (error.code != ErrorCode::Fenced) return;
  const MutexLock lock(mutex_);
  refused_ = fence;
  has_refused_.store(true, std::memory_order_relaxed);
}

std::optional<store::Fence> Outbox::TakeRefused() {
  if (!has_refused_.load(std::memory_order_relaxed)) return std::nullopt;
  const MutexLock lock(mutex_);
  has_refused_.store(false, std::memory_order_relaxed);
  return std::exchange(refused_, std::nullopt);
}

std::optional<store::Fence> Outbox::fence() const {
  const MutexLock lock(mutex_);
  return fence_;
}

bool Outbox::Pump() {
  bool worked = PumpBindings();
  worked |= PumpEvictions();
  // Bindings that came meanwhile go before what users merely read.
  if (!worked) worked |= PumpPatches();
  if (!worked) worked |= PumpEvents();
  return worked;
}

bool Outbox::PumpBindings() {
  {
    const MutexLock lock(mutex_);
    std::swap(bindings_, in_hand_);
    if (!delayed_bindings_.empty()) {
      const Timestamp now = clock_.Now();
      const auto due = std::stable_partition(delayed_bindings_.begin(), delayed_bindings_.end(),
                                             [&](const auto& binding) { return !IsDue(binding.not_before, now); });
      in_hand_.insert(in_hand_.end(), due, delayed_bindings_.end());
      delayed_bindings_.erase(due, delayed_bindings_.end());
    }
  }
  if (in_hand_.empty()) return false;
  const auto to_look_up =
      std::stable_partition(in_hand_.begin(), in_hand_.end(), [](const auto& due) { return !due.look_first; });
  std::for_each(to_look_up, in_hand_.end(), [&](const Due<Attempt*>& due) { LookUpBinding(due); });
  in_hand_.erase(to_look_up, in_hand_.end());
  for (size_t done = 0; done < in_hand_.size(); done += options_.max_batch) {
    WriteBindings(std::span(in_hand_).subspan(done, std::min(options_.max_batch, in_hand_.size() - done)));
  }
  in_hand_.clear();
  return true;
}

void Outbox::WriteBindings(std::span<Due<Attempt*>> batch) {
  std::vector<store::Binding> bindings;
  bindings.reserve(batch.size());
  for (const Due<Attempt*>& due : batch) bindings.push_back(BindingOf(*due.request));
  const metrics::Stopwatch watch;
  const std::optional<store::Fence> carried = fence();
  const Result<store::BindReply> reply = store_.Bind(bindings, carried);
  const Duration took = watch.Elapsed();
  if (metrics_ != nullptr) {
    metrics_->AsyncCallDone(metrics::AsyncCall::PodBinding, reply ? "success" : "error", took);
    metrics_->SetPendingAsyncCalls(metrics::AsyncCall::PodBinding, unanswered() - batch.size());
  }
  if (reply) {
    for (size_t i = 0; i < batch.size(); ++i) Answer(batch[i].request, StatusOf(reply->items[i], bindings[i]));
    return;
  }
  NoteRefusal(reply.error(), carried);
  for (Due<Attempt*>& due : batch) {
    switch (reply.error().code) {
      case ErrorCode::Unavailable: RetryBinding(due, reply.error(), false); break;
      case ErrorCode::Timeout:
      case ErrorCode::Unknown: RetryBinding(due, reply.error(), true); break;
      default: Answer(due.request, Status::FromError(reply.error()));
    }
  }
}

// Finds out what became of a binding whose answer was lost.
void Outbox::LookUpBinding(const Due<Attempt*>& due) {
  const store::Binding binding = BindingOf(*due.request);
  const Result<store::RecordPtr> found = store_.Get(binding.pod);
  if (!found && found.error().code != ErrorCode::NotFound) {
    RetryBinding(due, found.error(), true);
  } else if (!found || (*found)->uid != binding.uid) {
    Answer(due.request, StatusOf(BindResult::Gone, binding));
  } else if ((*found)->fields.node_name == binding.node) {
    Answer(due.request, Status::Success());
  } else if (!(*found)->fields.node_name.empty()) {
    Answer(due.request, StatusOf(BindResult::Conflict, binding));
  } else {
    RetryBinding(due, {ErrorCode::Unknown, "the binding was not written"}, false);
  }
}

void Outbox::RetryBinding(Due<Attempt*> due, const Error& error, bool look_first) {
  ++due.tries;
  // An unknown outcome is looked up until it is known: giving up could place the pod twice.
  if (due.tries >= options_.bind_tries && !look_first) {
    Answer(due.request, Status::FromError(error));
    return;
  }
  due.look_first = look_first;
  due.not_before = clock_.Now() + Pause(due.tries);
  const MutexLock lock(mutex_);
  delayed_bindings_.push_back(due);
}

void Outbox::Answer(Attempt* attempt, Status status) {
  unanswered_.fetch_sub(1, std::memory_order_relaxed);
  inbox_.Post(BindingFinished{attempt, std::move(status)});
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

// Doubles with every try, and spreads over the upper half so that writers who failed together do not return together.
Duration Outbox::Pause(int tries) {
  const Duration pause = std::min(options_.longest_pause, options_.first_pause * (1 << std::min(tries - 1, 16)));
  return pause / 2 + Duration(static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(pause.count() / 2 + 1))));
}

std::optional<Timestamp> Outbox::NextDue() const {
  const MutexLock lock(mutex_);
  if (!bindings_.empty()) return Timestamp::min();
  std::optional<Timestamp> next;
  const auto consider = [&](Timestamp time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& binding : delayed_bindings_) consider(binding.not_before);
  for (const auto& patch : patches_) consider(patch.not_before);
  for (const auto& eviction : evictions_) consider(eviction.not_before);
  if (!events_.empty()) consider(events_not_before_);
  return next;
}

bool Outbox::WaitUntil(std::chrono::steady_clock::time_point deadline) {
  const MutexLock lock(mutex_);
  while (!closed_ && !requested_) {
    if (!arrived_.WaitUntil(mutex_, deadline)) break;
  }
  requested_ = false;
  return !closed_;
}

void Outbox::Close() {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
  }
  arrived_.NotifyAll();
}

}  // namespace berth::scheduler
