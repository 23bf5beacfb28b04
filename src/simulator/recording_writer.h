// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/event_recorder.h"
#include "framework/evictor.h"
#include "framework/node_info.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::simulator {

// Notes what plugins ask to be changed, for whoever runs them to carry out. One thread at a time.
class RecordingWriter final : public framework::Evictor, public framework::EventRecorder {
 public:
  void Preempt(const framework::PodInfo&, std::string_view, std::span<const framework::PodInfoPtr> victims,
               std::string_view) override {
    for (const framework::PodInfoPtr& victim : victims) evicted_.emplace_back(framework::PodUid(*victim->pod));
  }
  bool IsPreempting(std::string_view) const override { return false; }
  void Record(const api::PodPtr&, const api::PodPtr&, framework::PodEvent) override {}

  // Uids of pods evicted, and of pods whose nomination was taken back, since last asked.
  std::vector<std::string> TakeEvicted() { return std::exchange(evicted_, {}); }
  std::vector<std::string> TakeCleared() { return std::exchange(cleared_, {}); }

 private:
  std::vector<std::string> evicted_;
  std::vector<std::string> cleared_;
};

}  // namespace berth::simulator
