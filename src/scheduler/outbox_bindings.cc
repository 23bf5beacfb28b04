// SPDX-License-Identifier: Apache-2.0
// How the outbox writes bindings, and finds out what became of them.
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"
#include "scheduler/attempt.h"
#include "scheduler/outbox.h"
#include "scheduler/outbox_writer.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace berth::scheduler {

using framework::Status;
using store::BindResult;

namespace {

// The write may have been done all the same.
bool IsUnknown(const Error& error) { return error.code == ErrorCode::Unknown || error.code == ErrorCode::Timeout; }

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

}  // namespace berth::scheduler
