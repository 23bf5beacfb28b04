// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/rng.h"
#include "home/home.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::metrics {
class SchedulerMetrics;
}

namespace berth::scheduler {

struct CommandOptions {
  size_t max_bindings = 8'192;  // unanswered bindings before the engine stops deciding
  size_t max_patches = 65'536;  // unanswered patches before it stops, where they are not absorbed
  size_t max_events = 20'000;   // unwritten events before new ones are dropped, as upstream does
  int tries = 5;                // then the command is given up
  Duration first_pause = std::chrono::milliseconds(10);
  Duration longest_pause = std::chrono::seconds(2);
  // Events are patient, as upstream's are: they outlive the restart of an API server.
  int event_tries = 12;
  Duration event_pause = std::chrono::seconds(10);
  uint64_t seed = 1;  // of the jitter
  // SchedulerAsyncAPICalls: a patch of a pod's status that is not under way yet takes in later ones, and gives way to a
  // binding. Otherwise each patch is a call of its own, and what comes later about the pod waits for it.
  bool absorb_patches = true;
};

// The commands that the engine has issued and that have not ended. They are sent to the home through weighted lanes, so
// that none starves: bindings, nominations and evictions have the largest share, then conditions, then events. Commands
// about one object keep their order, and only one of them is in flight at a time. A command that certainly failed is
// retried a bounded number of times, after a pause that doubles, with jitter. Settle reports the end of every command,
// once.
//
// Engine thread only.
class Commands {
 public:
  // Everything lent outlives this; `metrics` may be null.
  Commands(home::Home& home, const Clock& clock, const CommandOptions& options, metrics::SchedulerMetrics* metrics);

  home::Ticket Bind(api::PodPtr pod, api::NodePtr node);
  // Absorbed by an earlier patch of the pod that is not under way yet, if the options say so. Of no use, and dropped,
  // once the pod is being bound: the binding says more. Then there is no ticket.
  home::Ticket PatchStatus(home::PatchPodStatus patch);
  home::Ticket Evict(home::EvictPod eviction);
  home::Ticket Patch(home::PatchObject patch);
  // `again`: an earlier one was given up; it is asked after the longest pause.
  home::Ticket LookUp(api::PodPtr pod, bool again = false);
  // Says false when too many events wait: then this one is dropped.
  bool Record(home::EventNote note);
  // The command is not sent if it is not under way yet, and then it says true. Its end is not told in either case.
  bool Forget(home::Ticket ticket);
  bool IsUnderWay(home::Ticket ticket) const;
  // Whether the command has not ended yet, and was neither forgotten nor absorbed by another.
  bool IsOpen(home::Ticket ticket) const;

  // How a command ended.
  struct Ending {
    home::Ticket ticket = home::kNoTicket;
    home::Command command;
    home::Outcome outcome = home::Outcome::Done;  // NotDone: given up
    std::string answer;
    std::string error;
  };
  // Takes a completion; says how the command ended, or nothing while it is tried again or nobody wants to know.
  std::optional<Ending> Settle(home::Completion& completion);

  // Hands to the home what may be under way now. To be called when a turn of the engine ends and when NextDue passes.
  void Send();
  std::optional<Timestamp> NextDue() const;

  // Commands carry these terms from now on.
  void SetTerms(std::shared_ptr<const home::WriteTerms> terms) { terms_ = std::move(terms); }
  // The terms under which a command was refused because another leads, if any was since the last call.
  std::shared_ptr<const home::WriteTerms> TakeFenced() { return std::exchange(fenced_, nullptr); }

  // True while so many bindings, or patches that nothing absorbs, are unanswered that deciding more would only lengthen
  // the line.
  bool full() const {
    return bindings_ >= options_.max_bindings || (!options_.absorb_patches && patches_ >= options_.max_patches);
  }
  size_t unanswered_bindings() const { return bindings_; }
  size_t unanswered() const { return slots_.size() - free_.size(); }
  uint64_t dropped_events() const { return dropped_events_; }
  uint64_t given_up() const { return given_up_; }

 private:
  // However long a home asks to be left alone.
  static constexpr Duration kLongestRetryAfter = std::chrono::minutes(1);
  enum class Lane : uint8_t { Urgent, Condition, Event };
  static constexpr size_t kLanes = 3;
  // How many commands of a lane go while others wait, too.
  static constexpr std::array<size_t, kLanes> kWeights = {16, 4, 1};

  enum class State : uint8_t {
    Free,
    Behind,    // another command about its object comes first
    Queued,    // waits for its lane's turn
    Delayed,   // waits for its next try
    UnderWay,  // the home has it
  };
  using Index = uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  // The name of an object whose commands keep their order: for a pod its uid, where it stands in the pod.
  using ObjectId = std::shared_ptr<const std::string>;

  struct Slot {
    home::Command command;
    std::shared_ptr<const home::WriteTerms> terms;
    ObjectId object;  // null when there is no order to keep
    std::chrono::steady_clock::time_point sent;
    Timestamp not_before;
    uint32_t generation = 0;
    Index next = kNone;  // about the same object
    int tries = 0;
    Lane lane = Lane::Urgent;
    State state = State::Free;
    bool forgotten = false;
  };
  // The commands about one object, oldest first, linked by Slot::next. Only the first is ever sent.
  struct Line {
    ObjectId object;  // keeps its key
    Index first = kNone;
    Index last = kNone;
  };
  using Lines = std::unordered_map<std::string_view, Line>;

  home::Ticket TicketOf(Index index) const {
    return (static_cast<home::Ticket>(slots_[index].generation) << 32U) | index;
  }
  Slot* Find(home::Ticket ticket);
  home::Ticket Add(home::Command command, Lane lane, ObjectId object);
  // The line of the object, and whether it is new.
  std::pair<Line*, bool> LineOf(const ObjectId& object);
  void Drop(Lines::iterator line);
  // Gives back what a burst of commands took, once all of them have ended.
  void ReleaseSlots();
  void Enqueue(Index index);
  // The first command about the object that is not under way and is of this kind; kNone when there is none.
  template <typename Kind>
  Index FindUnsent(std::string_view object) const;
  bool IsBeingBound(std::string_view object) const;
  // A binding or an eviction of the pod follows: drops the pod's unsent status patch, or, if patches are not absorbed,
  // moves its patches to the urgent lane.
  void OvertakePatches(std::string_view object);
  void MakeUrgent(Index index);
  // Takes the command out of its line, lets the next of the line go, and frees the slot.
  home::Command Remove(Index index);
  Duration UpTo(Duration longest);
  Duration NextPause(int tries);
  bool Retry(Index index, const home::Completion& completion);
  void Delay(Index index, Duration pause);
  void WakeDelayed();
  // The lane whose turn it is; none when nobody waits.
  std::optional<Lane> NextLane();
  void Count(const Slot& slot, bool success);
  // How many commands of the kind wait for their first try; null for kinds that are not counted.
  size_t* WaitingLike(const home::Command& command);
  void ReportWaiting();

  home::Home& home_;
  const Clock& clock_;
  const CommandOptions options_;
  metrics::SchedulerMetrics* const metrics_;
  const size_t max_in_flight_;
  Rng rng_;
  std::shared_ptr<const home::WriteTerms> terms_;
  std::shared_ptr<const home::WriteTerms> fenced_;

  std::vector<Slot> slots_;
  std::vector<Index> free_;
  uint32_t first_generation_ = 1;                        // of a new slot
  Lines lines_;                                          // by object
  std::vector<Lines::node_type> spare_lines_;            // so that a binding allocates nothing
  std::array<std::deque<home::Ticket>, kLanes> queued_;  // tickets of dropped commands are skipped
  std::array<size_t, kLanes> credit_ = kWeights;
  std::set<std::pair<Timestamp, Index>> delayed_;  // by the moment of their next try
  std::vector<home::Submission> outgoing_;
  size_t under_way_ = 0;
  size_t events_under_way_ = 0;
  size_t waiting_bindings_ = 0;  // for their first try
  size_t waiting_patches_ = 0;
  size_t reported_bindings_ = 0;
  size_t reported_patches_ = 0;
  size_t bindings_ = 0;
  size_t patches_ = 0;
  size_t events_ = 0;
  uint64_t dropped_events_ = 0;
  uint64_t given_up_ = 0;
};

}  // namespace berth::scheduler
