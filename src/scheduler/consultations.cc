// SPDX-License-Identifier: Apache-2.0
#include "scheduler/consultations.h"

#include "framework/node_info.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler {

using framework::Extender;
using framework::PodInfo;

namespace {

// Whether the cycles of the pods that it is interested in wait for it. What it binds is not waited for.
bool HasSay(const Extender& extender) { return extender.filters() || extender.prioritizes() || extender.preempts(); }

}  // namespace

Consultations::Consultations(EngineState& engine, std::span<Extender* const> extenders)
    : engine_(engine), extenders_(extenders.begin(), extenders.end()), cycles_(extenders.size(), 0) {
  tracks_.emplace(ExtenderSet(extenders_.size(), false), 0);
}

Consultations::ExtenderSet Consultations::InterestedIn(const api::PodSpec& spec) const {
  ExtenderSet interested(extenders_.size(), false);
  for (size_t i = 0; i < extenders_.size(); ++i) {
    interested[i] = HasSay(*extenders_[i]) && extenders_[i]->IsInterested(spec);
  }
  return interested;
}

queue::Track Consultations::TrackOf(const PodInfo& pod) {
  const auto [track, is_new] = tracks_.try_emplace(InterestedIn(pod.spec()), static_cast<queue::Track>(tracks_.size()));
  if (is_new) CloseTracks();
  return track->second;
}

std::unique_ptr<Consultation> Consultations::For(const PodInfo& pod) const {
  std::vector<Extender*> interested;
  std::ranges::copy_if(extenders_, std::back_inserter(interested),
                       [&](Extender* each) { return HasSay(*each) && each->IsInterested(pod.spec()); });
  return interested.empty() ? nullptr : std::make_unique<Consultation>(std::move(interested));
}

void Consultations::Hold(FlyingPod pod, std::unique_ptr<Consultation> consultation) {
  const uint64_t number = ++last_number_;
  const auto ended = [&inbox = engine_.inbox, number](auto said) {
    inbox.Post(std::make_unique<ExtendersSaid>(ExtendersSaid{number, std::move(said)}));
  };
  Consultation::Question question = consultation->TakeQuestion();
  const std::vector<Extender*>& extenders = consultation->extenders();
  const api::PodPtr about = pod.latest();
  Occupy(*consultation, +1);
  waiting_.emplace(number, Ready{std::move(pod), std::move(consultation)});
  if (auto* nodes = std::get_if<std::vector<api::NodePtr>>(&question)) {
    AskAboutNodes(extenders, about, std::move(*nodes), engine_.log, ended);
  } else if (auto* victims = std::get_if<std::vector<ProposedNode>>(&question)) {
    AskAboutVictims(extenders, about, std::move(*victims), engine_.log, ended);
  }
}

void Consultations::Answered(ExtendersSaid& message) {
  const auto waiting = waiting_.find(message.number);
  BERTH_CHECK(waiting != waiting_.end());
  std::visit([&](auto& said) { waiting->second.consultation->Take(std::move(said)); }, message.said);
  answered_.push_back(message.number);
}

std::optional<Consultations::Ready> Consultations::TakeReady() {
  if (answered_.empty()) return std::nullopt;
  auto ready = waiting_.extract(answered_.front());
  answered_.pop_front();
  Occupy(*ready.mapped().consultation, -1);
  return std::move(ready.mapped());
}

void Consultations::Occupy(const Consultation& consultation, int change) {
  for (size_t i = 0; i < extenders_.size(); ++i) {
    if (std::ranges::find(consultation.extenders(), extenders_[i]) != consultation.extenders().end()) {
      cycles_[i] += change;
    }
  }
  CloseTracks();
}

void Consultations::CloseTracks() {
  closed_.Resize(tracks_.size());
  for (const auto& [interested, track] : tracks_) {
    bool is_closed = false;
    for (size_t i = 0; i < interested.size(); ++i) is_closed |= interested[i] && cycles_[i] != 0;
    closed_.Assign(track, is_closed);
  }
}

bool Consultations::PodSet(const api::PodPtr& pod) {
  bool done = false;
  for (auto& [number, waiting] : waiting_) done |= waiting.pod.PodSet(engine_, pod);
  return done;
}

bool Consultations::PodDeleted(std::string_view uid) {
  bool done = false;
  for (auto& [number, waiting] : waiting_) done |= waiting.pod.PodDeleted(engine_, uid);
  return done;
}

std::optional<Consultations::Outcome> Consultations::Review(const PodInfo& /*pod*/,
                                                            std::vector<framework::PreemptionProposal> proposals) {
  if (current_ == nullptr) return proposals;
  return current_->Review(engine_.cluster, std::move(proposals));
}

}  // namespace berth::scheduler
