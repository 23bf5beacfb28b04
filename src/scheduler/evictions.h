// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"
#include "framework/activator.h"
#include "framework/evictor.h"
#include "runtime/profile.h"
#include "scheduler/attempts.h"
#include "scheduler/commands.h"
#include "scheduler/engine_state.h"

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace berth::scheduler {

// Carries preemptions out. A victim that is still on its way to its node is taken back in memory; every other is marked
// and deleted by a command. As upstream, all victims but one go first, side by side, and then the last: until its
// deletion is on its way the preemptor is kept out of the queue, so that it does not choose more victims. When a victim
// cannot be evicted the rest is left alone, and the preemptor is tried again after a pause. Engine thread only.
//
// Without SchedulerAsyncPreemption the preemptor's cycle lasts until its preemption has ended: all victims go at once,
// and a failure is told to whoever holds the cycle.
class Evictions {
 public:
  Evictions(EngineState& engine, Attempts& attempts) : engine_(engine), attempts_(attempts) {}

  // Notes a preemption; it begins with BeginNoted, when the cycle is over.
  void Note(const runtime::Profile& profile, const framework::PodInfo& preemptor, std::string_view node,
            std::span<const framework::PodInfoPtr> victims, std::string_view plugin);
  void BeginNoted();
  bool IsPreempting(std::string_view preemptor_uid) const;
  // A preemption was noted, and its cycle is to be held until it has ended.
  bool are_awaited() const { return !noted_.empty() && noted_.front().awaited; }
  bool IsUnderWay(std::string_view preemptor_uid) const { return preemptions_.contains(preemptor_uid); }
  // Why the awaited preemption failed that ended last; empty when it did not.
  std::string TakeError() { return std::exchange(last_error_, {}); }
  void CommandEnded(const Commands::Ending& ending);
  // Nobody needs the room any more: what is not on its way yet is dropped.
  void PreemptorGone(std::string_view uid);

  // Lets preemptors try again whose preemption failed a while ago.
  void Tick();
  std::optional<Timestamp> NextTick() const;

  size_t size() const { return preemptions_.size(); }
  size_t under_way() const { return preemptor_of_.size(); }  // evictions that were asked for and have not ended

 private:
  struct Preemption {
    const runtime::Profile* profile = nullptr;
    framework::PodInfoPtr preemptor;
    std::string node;
    std::string plugin;
    std::vector<framework::PodInfoPtr> victims;  // still to be evicted; the last of them goes alone
    std::vector<home::Ticket> under_way;
    bool awaited = false;  // the preemptor's cycle is held
    bool failed = false;
    std::string error;
    bool found_gone = false;  // a victim had gone by itself, perhaps while its deletion could wake nobody
    std::chrono::steady_clock::time_point started;
  };
  using Table = StringMap<Preemption>;  // by the preemptor's uid

  void ClearNominations(const Preemption& preemption);
  // Sends the victims whose turn it is; ends the preemption when none is left.
  void GoOn(Table::iterator it);
  void Evict(Preemption& preemption, const framework::PodInfoPtr& victim);
  void Failed(Preemption& preemption, const std::string& error);
  void Report(const Preemption& preemption, const api::PodPtr& victim, std::string_view how);
  void End(Table::iterator it);

  EngineState& engine_;
  Attempts& attempts_;
  std::vector<Preemption> noted_;
  Table preemptions_;
  std::string last_error_;
  std::unordered_map<home::Ticket, std::string> preemptor_of_;
  std::multimap<Timestamp, std::string> to_activate_;  // preemptors' uids
};

// Lets the plugins of one profile preempt, tell users, and have pods tried. Preempting belongs to the engine thread,
// the rest to any.
class ProfileRoles final : public framework::Evictor, public framework::EventRecorder, public framework::Activator {
 public:
  ProfileRoles(EngineState& engine, Evictions& evictions, std::string profile_name)
      : engine_(engine), evictions_(evictions), profile_name_(std::move(profile_name)) {}
  void set_profile(const runtime::Profile& profile) { profile_ = &profile; }

  void NoteAttempt() override;
  void Preempt(const framework::PodInfo& preemptor, std::string_view node,
               std::span<const framework::PodInfoPtr> victims, std::string_view plugin) override;
  bool IsPreempting(std::string_view preemptor_uid) const override { return evictions_.IsPreempting(preemptor_uid); }
  void Record(const api::PodPtr& about, const api::PodPtr& related, framework::PodEvent event) override;
  void Activate(std::vector<std::string> pod_uids) override;

 private:
  EngineState& engine_;
  Evictions& evictions_;
  const std::string profile_name_;
  const runtime::Profile* profile_ = nullptr;
};

}  // namespace berth::scheduler
