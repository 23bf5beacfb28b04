// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "framework/registry.h"
#include "home/shadow_home.h"
#include "scheduler/scheduler.h"

#include <string>

namespace berth::cmd {

struct LiveAnswer {
  std::string text;
  bool yes = true;  // of explain: the pod can be placed
};
// The header of an HTTP response that says it: "yes" or "no".
inline constexpr const char* kAnswerHeader = "x-berth-answer";

// What a running scheduler says of itself: as text for people, or as a document where `output` is "json" (for explain
// also "yaml"); "wide" has more columns. The engine answers between two cycles. Any
// thread but the engine's.
class LiveAnswers {
 public:
  // Everything lent outlives this; `shadow` is null unless the scheduler only watches.
  LiveAnswers(scheduler::Scheduler& scheduler, const framework::Registry& registry, const Clock& clock,
              const home::ShadowHome* shadow)
      : scheduler_(scheduler), registry_(registry), clock_(clock), shadow_(shadow) {}

  // The pods that wait, in the order in which they arrived.
  Result<LiveAnswer> Queue(const std::string& output);
  // Where the pod, "namespace/name", can go now and why not elsewhere, as explain tells it; with a node, about that
  // node. NotFound when there is no such pod.
  Result<LiveAnswer> Explain(const std::string& pod, const std::string& node, const std::string& output);
  // How its latest attempts ended.
  Result<LiveAnswer> Decisions(const std::string& pod);
  // How far the shadow agrees; NotFound when this is none.
  Result<LiveAnswer> Shadow(const std::string& output);
  // Nodes with their pods, and the queue, a line each: what upstream logs on SIGUSR2.
  std::vector<std::string> StateDump();
  // All pods that have not ended, whichever scheduler they belong to, for /metrics/resources.
  std::vector<api::PodPtr> Pods();

 private:
  scheduler::Scheduler& scheduler_;
  const framework::Registry& registry_;
  const Clock& clock_;
  const home::ShadowHome* const shadow_;
};

// The report as a person reads it.
std::string ShadowText(const home::ShadowReport& report);

}  // namespace berth::cmd
