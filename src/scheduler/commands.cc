// SPDX-License-Identifier: Apache-2.0
#include "scheduler/commands.h"

#include "base/check.h"
#include "metrics/scheduler_metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::scheduler {

using home::Outcome;
using home::Ticket;

namespace {

// How many slots and lines are kept for reuse. More are rarely in use at a time.
constexpr size_t kMaxSpare = 4'096;

std::shared_ptr<const std::string> UidOf(const api::PodPtr& pod) { return {pod, &pod->meta.uid}; }

template <typename T>
bool Is(const home::Command& command) {
  return std::holds_alternative<T>(command);
}

}  // namespace

Commands::Commands(home::Home& home, const Clock& clock, const CommandOptions& options,
                   metrics::SchedulerMetrics* metrics)
    : home_(home),
      clock_(clock),
      options_(options),
      metrics_(metrics),
      max_in_flight_(home.capabilities().max_in_flight),
      rng_(options.seed) {}

Ticket Commands::Bind(api::PodPtr pod, api::NodePtr node) {
  OvertakePatches(pod->meta.uid);
  ++bindings_;
  ObjectId object = UidOf(pod);
  return Add(home::BindPod{std::move(pod), std::move(node)}, Lane::Urgent, std::move(object));
}

Ticket Commands::PatchStatus(home::PatchPodStatus patch) {
  const std::string& uid = patch.pod->meta.uid;
  if (IsBeingBound(uid)) return home::kNoTicket;
  const Lane lane = patch.nominated_node ? Lane::Urgent : Lane::Condition;
  const Index earlier = options_.absorb_patches ? FindUnsent<home::PatchPodStatus>(uid) : kNone;
  if (earlier != kNone) {
    auto& waiting = std::get<home::PatchPodStatus>(slots_[earlier].command);
    waiting.pod = std::move(patch.pod);
    if (patch.condition) waiting.condition = std::move(patch.condition);
    if (patch.nominated_node) waiting.nominated_node = std::move(patch.nominated_node);
    if (lane == Lane::Urgent) MakeUrgent(earlier);
    return TicketOf(earlier);
  }
  ++patches_;
  ObjectId object = UidOf(patch.pod);
  return Add(std::move(patch), lane, std::move(object));
}

Ticket Commands::Evict(home::EvictPod eviction) {
  OvertakePatches(eviction.pod->meta.uid);
  ObjectId object = UidOf(eviction.pod);
  return Add(std::move(eviction), Lane::Urgent, std::move(object));
}

Ticket Commands::Patch(home::PatchObject patch) {
  const store::Key& key = patch.object;
  auto object = std::make_shared<const std::string>(fmt::format("{}/{}/{}", key.kind, key.namespace_, key.name));
  return Add(std::move(patch), Lane::Urgent, std::move(object));
}

Ticket Commands::LookUp(api::PodPtr pod, bool again) {
  ObjectId object = UidOf(pod);
  const Ticket ticket = Add(home::LookUpPod{std::move(pod)}, Lane::Urgent, std::move(object));
  if (again) Delay(static_cast<Index>(ticket), options_.longest_pause);
  return ticket;
}

bool Commands::Record(home::EventNote note) {
  if (events_ >= options_.max_events) {
    ++dropped_events_;
    return false;
  }
  ++events_;
  Add(std::move(note), Lane::Event, {});
  return true;
}

Ticket Commands::Add(home::Command command, Lane lane, ObjectId object) {
  Index index = 0;
  if (free_.empty()) {
    index = static_cast<Index>(slots_.size());
    slots_.emplace_back().generation = first_generation_;
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.command = std::move(command);
  slot.lane = lane;
  slot.object = std::move(object);
  slot.state = State::Behind;
  if (size_t* waiting = WaitingLike(slot.command)) ++*waiting;
  if (slot.object == nullptr) {
    Enqueue(index);
    return TicketOf(index);
  }
  const auto [line, is_new] = LineOf(slot.object);
  if (is_new) {
    line->first = index;
    Enqueue(index);
  } else {
    slots_[line->last].next = index;
  }
  line->last = index;
  return TicketOf(index);
}

std::pair<Commands::Line*, bool> Commands::LineOf(const ObjectId& object) {
  if (const auto it = lines_.find(*object); it != lines_.end()) return {&it->second, false};
  if (spare_lines_.empty()) return {&lines_.try_emplace(*object, Line{object}).first->second, true};
  Lines::node_type node = std::move(spare_lines_.back());
  spare_lines_.pop_back();
  node.key() = *object;
  node.mapped() = {object};
  return {&lines_.insert(std::move(node)).position->second, true};
}

void Commands::Drop(Lines::iterator line) {
  Lines::node_type node = lines_.extract(line);
  if (spare_lines_.size() >= kMaxSpare) return;
  node.mapped() = {};
  spare_lines_.push_back(std::move(node));
}

void Commands::Enqueue(Index index) {
  slots_[index].state = State::Queued;
  queued_[static_cast<size_t>(slots_[index].lane)].push_back(TicketOf(index));
}

Commands::Slot* Commands::Find(Ticket ticket) {
  const auto index = static_cast<Index>(ticket);
  if (index >= slots_.size() || slots_[index].state == State::Free) return nullptr;
  return slots_[index].generation == ticket >> 32U ? &slots_[index] : nullptr;
}

template <typename Kind>
Commands::Index Commands::FindUnsent(std::string_view object) const {
  const auto line = lines_.find(object);
  if (line == lines_.end()) return kNone;
  for (Index index = line->second.first; index != kNone; index = slots_[index].next) {
    if (slots_[index].state != State::UnderWay && Is<Kind>(slots_[index].command)) return index;
  }
  return kNone;
}

bool Commands::IsBeingBound(std::string_view object) const {
  const auto line = lines_.find(object);
  if (line == lines_.end()) return false;
  for (Index index = line->second.first; index != kNone; index = slots_[index].next) {
    if (Is<home::BindPod>(slots_[index].command)) return true;
  }
  return false;
}

void Commands::OvertakePatches(std::string_view object) {
  if (options_.absorb_patches) {
    if (const Index index = FindUnsent<home::PatchPodStatus>(object); index != kNone) Remove(index);
    return;
  }
  const auto line = lines_.find(object);
  if (line == lines_.end()) return;
  for (Index index = line->second.first; index != kNone; index = slots_[index].next) {
    if (Is<home::PatchPodStatus>(slots_[index].command)) MakeUrgent(index);
  }
}

void Commands::MakeUrgent(Index index) {
  Slot& slot = slots_[index];
  if (slot.lane == Lane::Urgent) return;
  slot.lane = Lane::Urgent;
  if (slot.state == State::Queued) Enqueue(index);  // its place in the other lane is skipped
}

home::Command Commands::Remove(Index index) {
  Slot& slot = slots_[index];
  if (slot.state == State::Delayed) delayed_.erase({slot.not_before, index});
  const bool was_sent = slot.state == State::UnderWay || slot.tries != 0;
  if (size_t* waiting = WaitingLike(slot.command); waiting != nullptr && !was_sent) --*waiting;
  if (Is<home::BindPod>(slot.command)) --bindings_;
  if (Is<home::PatchPodStatus>(slot.command)) --patches_;
  if (Is<home::EventNote>(slot.command)) --events_;
  if (slot.object != nullptr) {
    const auto it = lines_.find(*slot.object);
    Line& line = it->second;
    if (line.first == index) {
      line.first = slot.next;
      if (line.first != kNone) Enqueue(line.first);
    } else {
      Index before = line.first;
      while (slots_[before].next != index) before = slots_[before].next;
      slots_[before].next = slot.next;
      if (line.last == index) line.last = before;
    }
    if (line.first == kNone) Drop(it);
  }
  home::Command command = std::exchange(slot.command, home::LookUpPod{});
  slot.terms = nullptr;
  slot.object = nullptr;
  slot.next = kNone;
  slot.tries = 0;
  slot.state = State::Free;
  slot.forgotten = false;
  ++slot.generation;
  free_.push_back(index);
  if (unanswered() == 0) ReleaseSlots();
  return command;
}

void Commands::ReleaseSlots() {
  if (slots_.size() <= kMaxSpare) return;
  // No ticket may come again.
  for (const Slot& slot : slots_) first_generation_ = std::max(first_generation_, slot.generation);
  slots_ = std::vector<Slot>();
  free_ = std::vector<Index>();
}

bool Commands::Forget(Ticket ticket) {
  Slot* slot = Find(ticket);
  if (slot == nullptr) return false;
  if (slot->state == State::UnderWay) {
    slot->forgotten = true;
    return false;
  }
  Remove(static_cast<Index>(ticket));
  return true;
}

bool Commands::IsUnderWay(Ticket ticket) const {
  const auto index = static_cast<Index>(ticket);
  return index < slots_.size() && slots_[index].generation == ticket >> 32U && slots_[index].state == State::UnderWay;
}

bool Commands::IsOpen(Ticket ticket) const {
  const auto index = static_cast<Index>(ticket);
  return index < slots_.size() && slots_[index].generation == ticket >> 32U && slots_[index].state != State::Free;
}

std::optional<Commands::Ending> Commands::Settle(home::Completion& completion) {
  Slot* slot = Find(completion.ticket);
  if (slot == nullptr) return std::nullopt;
  BERTH_CHECK(slot->state == State::UnderWay);
  --under_way_;
  if (slot->lane == Lane::Event) --events_under_way_;
  const auto index = static_cast<Index>(completion.ticket);
  Count(*slot, completion.outcome == Outcome::Done);
  if (completion.outcome == Outcome::Fenced) fenced_ = slot->terms;
  // A binding is looked up instead; every other command can safely be repeated, an event because its name stays.
  const bool may_repeat = completion.outcome == Outcome::NotDone ||
                          (completion.outcome == Outcome::Unknown && !Is<home::BindPod>(slot->command));
  if (may_repeat && !slot->forgotten && Retry(index, completion)) return std::nullopt;
  if (may_repeat && !slot->forgotten) ++given_up_;
  const bool is_told = !slot->forgotten;
  home::Command command = Remove(index);
  if (!is_told) return std::nullopt;
  return Ending{completion.ticket, std::move(command), completion.outcome, std::move(completion.answer),
                std::move(completion.error)};
}

Duration Commands::UpTo(Duration longest) {
  return Duration(static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(longest.count() + 1))));
}

// Doubles with every try, and spreads over the upper half so that writers who failed together do not return together.
Duration Commands::NextPause(int tries) {
  const Duration longest = std::min(options_.longest_pause, options_.first_pause * (1 << std::min(tries - 1, 16)));
  return longest / 2 + UpTo(longest / 2);
}

bool Commands::Retry(Index index, const home::Completion& completion) {
  Slot& slot = slots_[index];
  const bool is_event = slot.lane == Lane::Event;
  if (++slot.tries >= (is_event ? options_.event_tries : options_.tries)) return false;
  Duration pause = NextPause(slot.tries);
  if (is_event) pause = slot.tries == 1 ? UpTo(options_.event_pause) : options_.event_pause;
  if (completion.retry_after) pause = std::max(pause, std::min<Duration>(*completion.retry_after, kLongestRetryAfter));
  Delay(index, pause);
  return true;
}

void Commands::Delay(Index index, Duration pause) {
  Slot& slot = slots_[index];
  // One that is behind another waits for that in any case.
  if (slot.state == State::Behind) return;
  slot.not_before = clock_.Now() + pause;
  slot.state = State::Delayed;
  delayed_.emplace(slot.not_before, index);
}

void Commands::WakeDelayed() {
  if (delayed_.empty()) return;
  const Timestamp now = clock_.Now();
  while (!delayed_.empty()) {
    const auto [at, index] = *delayed_.begin();
    // If it is further ahead than the longest pause, the clock was set back after it was set.
    if (at > now && at - now <= std::max<Duration>(options_.longest_pause, kLongestRetryAfter)) return;
    delayed_.erase(delayed_.begin());
    Enqueue(index);
  }
}

std::optional<Commands::Lane> Commands::NextLane() {
  for (int round = 0; round < 2; ++round) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (queued_[lane].empty() || credit_[lane] == 0) continue;
      // Events that hang must leave room for bindings.
      if (lane == static_cast<size_t>(Lane::Event) && events_under_way_ >= std::max<size_t>(1, max_in_flight_ / 4)) {
        continue;
      }
      --credit_[lane];
      return static_cast<Lane>(lane);
    }
    credit_ = kWeights;  // every waiting lane has used its share
  }
  return std::nullopt;
}

void Commands::Send() {
  WakeDelayed();
  while (under_way_ < max_in_flight_) {
    const std::optional<Lane> lane = NextLane();
    if (!lane) break;
    std::deque<Ticket>& queued = queued_[static_cast<size_t>(*lane)];
    const Ticket ticket = queued.front();
    queued.pop_front();
    Slot* slot = Find(ticket);
    if (slot == nullptr || slot->state != State::Queued) continue;
    slot->state = State::UnderWay;
    if (size_t* waiting = WaitingLike(slot->command); waiting != nullptr && slot->tries == 0) --*waiting;
    slot->terms = terms_;
    slot->sent = std::chrono::steady_clock::now();
    ++under_way_;
    if (slot->lane == Lane::Event) ++events_under_way_;
    outgoing_.push_back({ticket, slot->command, terms_});
  }
  ReportWaiting();
  if (outgoing_.empty()) return;
  home_.Submit(outgoing_);
  outgoing_.clear();
}

std::optional<Timestamp> Commands::NextDue() const {
  return delayed_.empty() ? std::nullopt : std::optional<Timestamp>(delayed_.begin()->first);
}

void Commands::Count(const Slot& slot, bool success) {
  if (metrics_ == nullptr) return;
  const Duration took = std::chrono::steady_clock::now() - slot.sent;
  const char* result = success ? "success" : "error";
  if (Is<home::BindPod>(slot.command)) metrics_->AsyncCallDone(metrics::AsyncCall::PodBinding, result, took);
  if (Is<home::PatchPodStatus>(slot.command)) metrics_->AsyncCallDone(metrics::AsyncCall::PodStatusPatch, result, took);
}

size_t* Commands::WaitingLike(const home::Command& command) {
  if (Is<home::BindPod>(command)) return &waiting_bindings_;
  return Is<home::PatchPodStatus>(command) ? &waiting_patches_ : nullptr;
}

void Commands::ReportWaiting() {
  if (metrics_ == nullptr) return;
  if (std::exchange(reported_bindings_, waiting_bindings_) != waiting_bindings_) {
    metrics_->SetPendingAsyncCalls(metrics::AsyncCall::PodBinding, waiting_bindings_);
  }
  if (std::exchange(reported_patches_, waiting_patches_) != waiting_patches_) {
    metrics_->SetPendingAsyncCalls(metrics::AsyncCall::PodStatusPatch, waiting_patches_);
  }
}

}  // namespace berth::scheduler
