// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_table.h"

#include "base/check.h"

#include <utility>

namespace berth::scheduler {

using framework::PodUid;

namespace {

constexpr size_t kMostSpare = 1024;  // how many are kept for reuse after a burst

}  // namespace

Attempt* AttemptTable::Find(std::string_view uid) const {
  const auto it = attempts_.find(uid);
  return it == attempts_.end() ? nullptr : it->second.get();
}

Attempt& AttemptTable::Add(queue::QueuedPodPtr queued) {
  Table::node_type node;
  if (spare_.empty()) {
    Table made;
    node = made.extract(made.emplace(std::string_view(), std::make_unique<Attempt>()).first);
  } else {
    node = std::move(spare_.back());
    spare_.pop_back();
  }
  Attempt& attempt = *node.mapped();
  attempt.pod = queued->pod;
  attempt.latest = queued->pod;
  attempt.queued = std::move(queued);
  node.key() = PodUid(*attempt.pod->pod);
  attempts_.insert(std::move(node));
  return attempt;
}

void AttemptTable::Remove(const Attempt& ended) {
  Table::node_type node = attempts_.extract(PodUid(*ended.pod->pod));
  Attempt& attempt = *node.mapped();
  BERTH_CHECK(attempt.elsewhere == 0);
  if (attempt.progress.is(Standing::Gone) || attempt.progress.is(Standing::Replaced)) {
    const auto it = deleted_.find(attempt.pod->pod->meta.Key());
    if (it != deleted_.end() && it->second == &attempt) deleted_.erase(it);
  }
  attempt.queued = nullptr;
  attempt.pod = nullptr;
  attempt.latest = nullptr;
  attempt.node = nullptr;
  attempt.progress = {};
  attempt.state.Reset();
  attempt.work.clear();
  attempt.last_ticket = 0;
  attempt.stop = std::stop_source(std::nostopstate);
  attempt.failure = {};
  attempt.binding = home::kNoTicket;
  attempt.bind_work = 0;
  attempt.bind_outcome.reset();
  attempt.lost_answers = 0;
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(node));
}

void AttemptTable::NoteDeleted(Attempt& attempt) { deleted_[attempt.pod->pod->meta.Key()] = &attempt; }

Attempt* AttemptTable::ReplacedBy(const api::Pod& pod) const {
  if (deleted_.empty()) return nullptr;
  const auto it = deleted_.find(pod.meta.Key());
  if (it == deleted_.end() || PodUid(*it->second->pod->pod) == PodUid(pod)) return nullptr;
  return it->second;
}

}  // namespace berth::scheduler
