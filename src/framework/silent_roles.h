// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/activator.h"
#include "framework/event_recorder.h"
#include "framework/evictor.h"

namespace berth::framework {

// Roles that accept every request of a plugin and do nothing: for what-if questions.
class SilentRoles final : public Evictor, public EventRecorder, public Activator {
 public:
  void Activate(std::vector<std::string> /*pod_uids*/) override {}
  void Preempt(const PodInfo& /*preemptor*/, std::string_view /*node*/, std::span<const PodInfoPtr> /*victims*/,
               std::string_view /*plugin*/) override {}
  bool IsPreempting(std::string_view /*preemptor_uid*/) const override { return false; }
  void Record(const api::PodPtr& /*about*/, const api::PodPtr& /*related*/, PodEvent /*event*/) override {}
};

}  // namespace berth::framework
