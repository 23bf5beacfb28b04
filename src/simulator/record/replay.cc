// SPDX-License-Identifier: Apache-2.0
#include "simulator/record/replay.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace berth::simulator {
namespace {

class Repetition {
 public:
  Repetition(const RunRecord& record, const std::function<void(const scheduler::DecisionRecord&)>& listener)
      : record_(record), listener_(listener), end_(record.header.start + record.end.value_or(kForever)) {}

  Result<ReplayOutcome> Run(const SchedulerSetup& setup) {
    const auto decided = [this](const scheduler::DecisionRecord& decision) { Compare(decision); };
    BERTH_ASSIGN_OR_RETURN(scheduler_, VirtualScheduler::Make(setup, record_.header.start, decided));
    do {
      const Result<void> done = DoWhatIsDue();
      if (outcome_.difference) break;
      if (!done) return done.error();
      scheduler_->Settle();
      scheduler_->ForgetHistory();
    } while (!is_over() && Jump());
    const bool all_made = outcome_.decisions == record_.decisions.size();
    if (!outcome_.difference && !all_made) {
      outcome_.difference = {outcome_.decisions + 1, record_.decisions[outcome_.decisions], ""};
    }
    return outcome_;
  }

 private:
  static constexpr Duration kForever = std::chrono::hours(876'000);

  void Compare(const scheduler::DecisionRecord& decision) {
    if (outcome_.difference) return;
    const bool all_made = outcome_.decisions == record_.decisions.size();
    // After the end of a truncated record, what was decided is unknown.
    if (all_made && !record_.end) return;
    std::string line = scheduler::ToLine(decision);
    const std::string recorded = all_made ? std::string() : record_.decisions[outcome_.decisions];
    if (line != recorded) {
      outcome_.difference = {outcome_.decisions + 1, recorded, std::move(line)};
      return;
    }
    ++outcome_.decisions;
    if (listener_) listener_(decision);
  }

  // Commits the inputs of the next step if it is due.
  Result<void> DoWhatIsDue() {
    if (next_ == record_.inputs.size() || TimeOf(next_) > scheduler_->Now()) return {};
    std::vector<Input> inputs;
    const uint64_t step = record_.inputs[next_].step;
    for (; next_ < record_.inputs.size() && record_.inputs[next_].step == step; ++next_) {
      inputs.push_back(record_.inputs[next_].input);
    }
    return CommitInputs(inputs, scheduler_->store(), scheduler_->Now());
  }

  Timestamp TimeOf(size_t input) const { return record_.header.start + record_.inputs[input].at; }

  bool is_over() const {
    if (outcome_.difference) return true;
    return !record_.end && next_ == record_.inputs.size() && outcome_.decisions == record_.decisions.size();
  }

  bool Jump() {
    if (next_ < record_.inputs.size() && TimeOf(next_) <= scheduler_->Now()) return true;
    const Timestamp next = next_ < record_.inputs.size() ? std::min(TimeOf(next_), end_) : end_;
    scheduler_->Jump(next);
    return scheduler_->Now() < end_;
  }

  const RunRecord& record_;
  const std::function<void(const scheduler::DecisionRecord&)>& listener_;
  const Timestamp end_;
  std::unique_ptr<VirtualScheduler> scheduler_;
  ReplayOutcome outcome_;
  size_t next_ = 0;  // index of the next input
};

}  // namespace

Result<ReplayOutcome> Replay(const RunRecord& record, const SchedulerSetup& setup,
                             const std::function<void(const scheduler::DecisionRecord&)>& listener) {
  return Repetition(record, listener).Run(setup);
}

}  // namespace berth::simulator
