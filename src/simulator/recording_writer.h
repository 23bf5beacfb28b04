// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/node_info.h"
#include "framework/writer.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::simulator {

// Notes what plugins ask to be changed, for whoever runs them to carry out. One thread at a time.
class RecordingWriter final : public framework::Writer, public framework::EventRecorder {
 public:
  Result<void> Bind(const api::Pod&, std::string_view) override { return {}; }
  Result<void> Evict(const api::Pod& pod, std::string_view, std::string_view) override {
    evicted_.emplace_back(framework::PodUid(pod));
    return {};
  }
  Result<void> ClearNomination(const api::Pod& pod) override {
    cleared_.emplace_back(framework::PodUid(pod));
    return {};
  }
  void Record(const api::Pod&, std::string_view, std::string_view, std::string_view, std::string) override {}

  // Uids of pods evicted, and of pods whose nomination was taken back, since last asked.
  std::vector<std::string> TakeEvicted() { return std::exchange(evicted_, {}); }
  std::vector<std::string> TakeCleared() { return std::exchange(cleared_, {}); }

 private:
  std::vector<std::string> evicted_;
  std::vector<std::string> cleared_;
};

}  // namespace berth::simulator
