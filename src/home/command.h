// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/pod.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/record.h"
#include "store/store.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace berth::home {

// Everything the scheduler wants changed, or wants to know, outside its own memory is one of these commands. A home
// tries each once and answers with one Completion; whether and when to try again is the sender's business.

// Writes that the pod runs on the node. Binding a pod again to the same node is no conflict.
struct BindPod {
  api::PodPtr pod;
  api::NodePtr node;
};

// A condition as it is to be written.
struct ConditionPatch {
  api::Condition condition;
  int64_t observed_generation = 0;
};

// Changes parts of a pod's status. What is absent is left alone.
struct PatchPodStatus {
  api::PodPtr pod;
  std::optional<ConditionPatch> condition = {};
  std::optional<std::string> nominated_node = {};  // "" clears it
};

// Marks the pod with the condition, then deletes it, if it still has its uid.
struct EvictPod {
  api::PodPtr pod;
  ConditionPatch condition;
};

// Applies a JSON merge patch (RFC 7386) to an object of any kind. A uid or a version that is given must be the
// object's.
struct PatchObject {
  store::Key object;
  std::string uid = {};
  std::string resource_version = {};
  std::string merge_patch;
};

// Something users should hear about a pod: becomes an Event object.
struct EventNote {
  api::PodPtr about;
  api::PodPtr related = {};  // another pod that has a part in it
  std::string type;          // Normal or Warning
  std::string reason;
  std::string action;
  std::string note;
  std::string controller;  // the profile that reports it
  Timestamp time;
};

// Asks which node the pod has. Answered with its name, empty when it has none.
struct LookUpPod {
  api::PodPtr pod;
};

using Command = std::variant<BindPod, PatchPodStatus, EvictPod, PatchObject, EventNote, LookUpPod>;

// Names a command until its completion has come. Never used twice.
using Ticket = uint64_t;
constexpr Ticket kNoTicket = 0;

// By what right a command is sent: a lease, and until when it is surely held. A command that is not on its way by then
// is not sent.
struct WriteTerms {
  store::Fence fence;
  Duration until{};  // in the clock's steady time
  // True once the lease is known to be another's, however long it was granted for. Null: that is never known.
  std::shared_ptr<const std::atomic<bool>> revoked = {};

  bool hold(Duration now) const { return now < until && (revoked == nullptr || !*revoked); }
};

struct Submission {
  Ticket ticket = kNoTicket;
  Command command;
  std::shared_ptr<const WriteTerms> terms = {};  // null: nobody else may write
};

enum class Outcome : uint8_t {
  Done,      // also when there was nothing to change
  Conflict,  // the object is not as the command wants it: on another node, at another version
  Gone,      // there is no such object, or only another of its name
  NotDone,   // surely not done; may be tried again
  Unknown,   // may have been done
  Fenced,    // not done: another leads, or may lead by now
  Refused,   // not done and never will be: invalid or forbidden
};

struct Completion {
  Ticket ticket = kNoTicket;
  Outcome outcome = Outcome::Done;
  std::string answer = {};                   // a patch: the object's new version; LookUpPod: the node
  std::string error = {};                    // unless Done
  std::optional<Duration> retry_after = {};  // with NotDone: the home asks for that much patience
};

}  // namespace berth::home
