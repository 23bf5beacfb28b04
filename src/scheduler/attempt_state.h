// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace berth::scheduler {

// How far an attempt to bring a pod to its node has come.
enum class Stage : uint8_t {
  Deciding,    // a node is chosen; Reserve and Permit are being asked
  Permit,      // a Permit plugin asked to wait
  PreBind,     // PreBind plugins work
  Cancelling,  // PreBind is over before its end, but work that runs elsewhere has not returned yet
  Binding,     // the binding is being written
  Unknown,     // whether it was written is not known, and is being looked up
  Confirmed,   // the pod is bound; PostBind plugins work
  Failed,      // the pod goes back to the queue, or is gone
};

// What moves an attempt from stage to stage.
enum class Step : uint8_t {
  Wait,     // a Permit plugin asked to wait
  Prepare,  // PreBind has work to do
  Cancel,   // PreBind is to end early
  Write,    // the binding can be written
  Lose,     // the answer to the binding was lost
  Resume,   // what became of the binding is known, or it is written once more
  Confirm,  // the binding was written
  Fail,
};

// Where the attempt's pod stands, as far as its home has told.
enum class Standing : uint8_t {
  Assumed,   // without a node; the cluster counts it on ours
  Freed,     // without a node and being deleted; the cluster does not count it any more
  Assigned,  // on a node, ours or another; the cluster counts it there
  Gone,      // deleted
  Replaced,  // deleted, and another pod has its name
};

// What the home tells of the attempt's pod.
enum class Told : uint8_t { Assigned, Terminating, Deleted, Replaced };

std::string_view StageName(Stage stage);

// The state of one attempt. Every change goes through the two tables in attempt_state.cc. A Step that the first table
// does not allow is a bug and aborts the program; a Told that the second does not list changes nothing.
class AttemptState {
 public:
  Stage stage() const { return stage_; }
  Standing standing() const { return standing_; }
  bool is(Stage stage) const { return stage_ == stage; }
  bool is(Standing standing) const { return standing_ == standing; }

  // Whether the step is allowed now; for callers that may be too late.
  bool Allows(Step step) const;
  void Take(Step step);
  // Returns whether the standing changed.
  bool Hear(Told told);

 private:
  Stage stage_ = Stage::Deciding;
  Standing standing_ = Standing::Assumed;
};

}  // namespace berth::scheduler
