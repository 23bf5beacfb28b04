// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bitset.h"
#include "framework/extender.h"
#include "framework/preemption_review.h"
#include "scheduler/consultation.h"
#include "scheduler/engine_state.h"
#include "scheduler/flying_pod.h"
#include "scheduler/inbox.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace berth::scheduler {

// The cycles that wait for extenders. An extender has one cycle at a time: pods that the same extenders have a say in
// are on one track of the queue, which is closed while any of these extenders is being asked. Other pods go on, unless
// the order is to be strict, as upstream. Engine thread only.
class Consultations final : public framework::PreemptionReview {
 public:
  // Everything lent outlives this; the extenders, their answers.
  Consultations(EngineState& engine, std::span<framework::Extender* const> extenders);
  Consultations(const Consultations&) = delete;
  Consultations& operator=(const Consultations&) = delete;

  queue::Track TrackOf(const framework::PodInfo& pod);
  // The tracks whose pods must not be popped now.
  const Bitset& closed() const { return closed_; }
  // No pod must be popped now.
  bool holds_all() const { return engine_.options.strict_extender_order && !waiting_.empty(); }

  // Null when no extender has a say in where the pod goes.
  std::unique_ptr<Consultation> For(const framework::PodInfo& pod) const;
  // Sends the consultation's question; the pod's cycle goes on when it is answered.
  void Hold(FlyingPod pod, std::unique_ptr<Consultation> consultation);
  void Answered(ExtendersSaid& message);
  struct Ready {
    FlyingPod pod;
    std::unique_ptr<Consultation> consultation;
  };
  std::optional<Ready> TakeReady();

  // What the home tells of a pod. Says true when that was all there is to do about it.
  bool PodSet(const api::PodPtr& pod);
  bool PodDeleted(std::string_view uid);
  size_t size() const { return waiting_.size(); }
  bool awaits_answers() const { return waiting_.size() > answered_.size(); }

  // The cycle that runs now asks through this one; null when it asks nobody.
  void set_current(Consultation* consultation) { current_ = consultation; }
  std::optional<Outcome> Review(const framework::PodInfo& pod,
                                std::vector<framework::PreemptionProposal> proposals) override;

 private:
  using ExtenderSet = std::vector<bool>;  // by place in extenders_

  ExtenderSet InterestedIn(const api::PodSpec& spec) const;
  // Adds to the cycles of the consultation's extenders.
  void Occupy(const Consultation& consultation, int change);
  void CloseTracks();

  EngineState& engine_;
  const std::vector<framework::Extender*> extenders_;
  std::map<ExtenderSet, queue::Track> tracks_;  // the empty set has track 0
  std::vector<int> cycles_;                     // by place in extenders_: how many cycles it is asked for
  Bitset closed_;
  std::map<uint64_t, Ready> waiting_;  // by number
  std::deque<uint64_t> answered_;      // of those that wait
  uint64_t last_number_ = 0;
  Consultation* current_ = nullptr;
};

}  // namespace berth::scheduler
