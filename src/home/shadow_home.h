// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/string_map.h"
#include "home/home.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace berth::home {

// A pod that two schedulers judged differently.
struct ShadowDifference {
  std::string pod;     // namespace/name
  std::string ours;    // the node; empty: none was found
  std::string theirs;  // the node
  std::string reason;  // why we found none, or another
  Timestamp time;
};

// How far a scheduler that only watches agrees with the one that binds.
struct ShadowReport {
  uint64_t agreed = 0;
  uint64_t tied = 0;                          // another node, which we had found just as good
  uint64_t differed = 0;                      // another node
  uint64_t crossed = 0;                       // the same while other pods were being placed: the order may be why
  uint64_t only_theirs = 0;                   // placed by the other while we had found no node
  uint64_t undecided = 0;                     // placed by the other before we had decided
  uint64_t waiting = 0;                       // decided here and not placed by the other yet
  uint64_t evictions = 0;                     // that we would have asked for
  std::vector<ShadowDifference> differences;  // the latest, oldest first
};

// Lets a scheduler decide about a real cluster without changing anything there: what it writes is answered as done and
// not sent, and when the scheduler in charge places a pod, both decisions are compared. Reads go to the home beneath.
class ShadowHome final : public Home, private HomeListener {
 public:
  // Says why the scheduler preferred the node it chose to this one; empty: it had found both just as good. Any thread.
  using WhyNot = std::function<std::string(const api::Pod& pod, const std::string& node)>;

  // Pods that ask for another than these schedulers are nothing to compare.
  ShadowHome(std::unique_ptr<Home> beneath, const Clock& clock, std::vector<std::string> schedulers)
      : beneath_(std::move(beneath)), clock_(clock), schedulers_(std::move(schedulers)) {}
  // To be called before Start.
  void SetWhyNot(WhyNot why_not) { why_not_ = std::move(why_not); }

  ShadowReport report() const BERTH_EXCLUDES(mutex_);

  Capabilities capabilities() const override { return beneath_->capabilities(); }
  Leases& leases() override { return beneath_->leases(); }
  void Open(HomeListener& listener, std::vector<std::string> kinds) override;
  void Start() override { beneath_->Start(); }
  bool Stop() override { return beneath_->Stop(); }
  void Submit(std::vector<Submission>& commands) override BERTH_EXCLUDES(mutex_);
  bool PumpFeeds() override { return beneath_->PumpFeeds(); }
  bool PumpCommands() override { return beneath_->PumpCommands(); }
  std::optional<Timestamp> NextDue() const override { return beneath_->NextDue(); }
  store::Revision FeedProgress() const override { return beneath_->FeedProgress(); }
  FeedStats feed_stats() const override { return beneath_->feed_stats(); }
  std::optional<api::Object> FindTold(const store::Key& key) const override { return beneath_->FindTold(key); }
  std::vector<api::Object> ToldOfKind(std::string_view kind) const override { return beneath_->ToldOfKind(kind); }

 private:
  // What was decided here about a pod that has no node yet.
  struct Verdict {
    std::string node;
    std::string reason;
    // How many placements, ours and theirs, had been heard of with this one; 0: another of ours was not confirmed then.
    uint64_t moment = 0;
  };

  bool TakeChanges(std::vector<ObjectChange>& changes) override BERTH_EXCLUDES(mutex_);
  void Synced() override { listener_->Synced(); }
  void TakeCompletions(std::vector<Completion>& completions) override { listener_->TakeCompletions(completions); }
  void TakeProblem(FeedProblem problem) override { listener_->TakeProblem(std::move(problem)); }

  static bool IsPlaced(const std::optional<Verdict>& verdict) { return verdict && !verdict->node.empty(); }
  void Note(const Command& command) BERTH_EXCLUDES(mutex_);
  void TakePod(const ObjectChange& change) BERTH_EXCLUDES(mutex_);
  void Compare(const api::Pod& pod, const std::optional<Verdict>& ours, bool alone) BERTH_EXCLUDES(mutex_);

  std::unique_ptr<Home> beneath_;
  const Clock& clock_;
  const std::vector<std::string> schedulers_;
  HomeListener* listener_ = nullptr;  // set by Open
  WhyNot why_not_;

  mutable Mutex mutex_;
  StringMap<std::optional<Verdict>> pending_ BERTH_GUARDED_BY(mutex_);  // pods without a node, by uid
  uint64_t placements_ BERTH_GUARDED_BY(mutex_) = 0;                    // ours and theirs
  size_t unconfirmed_ BERTH_GUARDED_BY(mutex_) = 0;  // of pending_: we have placed them, the other has not
  ShadowReport report_ BERTH_GUARDED_BY(mutex_);
  std::deque<ShadowDifference> differences_ BERTH_GUARDED_BY(mutex_);
};

}  // namespace berth::home
