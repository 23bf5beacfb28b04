// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/evictor.h"
#include "framework/node_info.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::plugin_host {

// Keeps which pods a plugin wants to go, for PostFilter's answer: the scheduler evicts them.
class CollectedEvictions final : public framework::Evictor {
 public:
  // What the scheduler said with the call: whose victims are on their way out.
  void SetPreempting(std::vector<std::string> uids) { preempting_ = std::move(uids); }
  void Forget() {
    victims_.clear();
    was_tried_ = false;
  }
  const std::vector<framework::PodInfoPtr>& victims() const { return victims_; }
  bool was_tried() const { return was_tried_; }

  void NoteAttempt() override { was_tried_ = true; }
  void Preempt(const framework::PodInfo& /*preemptor*/, std::string_view /*node*/,
               std::span<const framework::PodInfoPtr> victims, std::string_view /*plugin*/) override {
    victims_.assign(victims.begin(), victims.end());
  }
  bool IsPreempting(std::string_view preemptor_uid) const override {
    for (const std::string& uid : preempting_) {
      if (uid == preemptor_uid) return true;
    }
    return false;
  }

 private:
  std::vector<std::string> preempting_;
  std::vector<framework::PodInfoPtr> victims_;
  bool was_tried_ = false;
};

}  // namespace berth::plugin_host
