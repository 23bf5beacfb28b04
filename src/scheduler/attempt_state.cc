// SPDX-License-Identifier: Apache-2.0
#include "scheduler/attempt_state.h"

#include "base/check.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace berth::scheduler {
namespace {

struct StageChange {
  Stage from;
  Step step;
  Stage to;
};

constexpr std::array kStageChanges = {
    StageChange{Stage::Deciding, Step::Wait, Stage::Permit},
    StageChange{Stage::Deciding, Step::Prepare, Stage::PreBind},
    StageChange{Stage::Deciding, Step::Write, Stage::Binding},
    StageChange{Stage::Deciding, Step::Fail, Stage::Failed},
    StageChange{Stage::Permit, Step::Prepare, Stage::PreBind},
    StageChange{Stage::Permit, Step::Write, Stage::Binding},
    StageChange{Stage::Permit, Step::Fail, Stage::Failed},
    StageChange{Stage::PreBind, Step::Write, Stage::Binding},
    StageChange{Stage::PreBind, Step::Cancel, Stage::Cancelling},
    StageChange{Stage::Cancelling, Step::Fail, Stage::Failed},
    StageChange{Stage::Binding, Step::Lose, Stage::Unknown},
    StageChange{Stage::Binding, Step::Confirm, Stage::Confirmed},
    StageChange{Stage::Binding, Step::Fail, Stage::Failed},
    StageChange{Stage::Unknown, Step::Resume, Stage::Binding},
};

struct StandingChange {
  Standing from;
  Told told;
  Standing to;
};

// Combinations that are not listed change nothing: a deleted pod stays deleted, and a pod never loses its node.
constexpr std::array kStandingChanges = {
    StandingChange{Standing::Assumed, Told::Assigned, Standing::Assigned},
    StandingChange{Standing::Assumed, Told::Terminating, Standing::Freed},
    StandingChange{Standing::Assumed, Told::Deleted, Standing::Gone},
    StandingChange{Standing::Freed, Told::Assigned, Standing::Assigned},
    StandingChange{Standing::Freed, Told::Deleted, Standing::Gone},
    StandingChange{Standing::Assigned, Told::Deleted, Standing::Gone},
    StandingChange{Standing::Gone, Told::Replaced, Standing::Replaced},
};

const StageChange* FindStageChange(Stage from, Step step) {
  const auto* change = std::ranges::find_if(
      kStageChanges, [&](const StageChange& entry) { return entry.from == from && entry.step == step; });
  return change == std::end(kStageChanges) ? nullptr : change;
}

}  // namespace

std::string_view StageName(Stage stage) {
  switch (stage) {
    case Stage::Deciding: return "Deciding";
    case Stage::Permit: return "Permit";
    case Stage::PreBind: return "PreBind";
    case Stage::Cancelling: return "Cancelling";
    case Stage::Binding: return "Binding";
    case Stage::Unknown: return "Unknown";
    case Stage::Confirmed: return "Confirmed";
    case Stage::Failed: return "Failed";
  }
  return "";
}

bool AttemptState::Allows(Step step) const { return FindStageChange(stage_, step) != nullptr; }

void AttemptState::Take(Step step) {
  const StageChange* change = FindStageChange(stage_, step);
  BERTH_CHECK(change != nullptr);
  stage_ = change->to;
}

bool AttemptState::Hear(Told told) {
  const auto* change = std::ranges::find_if(
      kStandingChanges, [&](const StandingChange& entry) { return entry.from == standing_ && entry.told == told; });
  if (change == std::end(kStandingChanges)) return false;
  standing_ = change->to;
  return true;
}

}  // namespace berth::scheduler
