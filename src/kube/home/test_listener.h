// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "home/home.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace berth::kube {

// Keeps what a home delivers; any thread may wait for it, up to a minute.
class TestListener final : public home::HomeListener {
 public:
  bool TakeChanges(std::vector<home::ObjectChange>& changes) override BERTH_EXCLUDES(mutex_);
  void Synced() override BERTH_EXCLUDES(mutex_);
  void TakeCompletions(std::vector<home::Completion>& completions) override BERTH_EXCLUDES(mutex_);
  void TakeProblem(home::FeedProblem problem) override BERTH_EXCLUDES(mutex_);

  // Waits for so many changes and takes all that have come, as "set default/a 7" and "deleted default/a 7".
  std::vector<std::string> WaitForChanges(size_t count) BERTH_EXCLUDES(mutex_);
  // Waits for the next problem and takes it, as "Interrupted Pod: connection refused".
  std::string WaitForProblem() BERTH_EXCLUDES(mutex_);
  // Returns how often it was told by then.
  int WaitForSynced() BERTH_EXCLUDES(mutex_);
  home::Completion WaitForAnswer(home::Ticket ticket) BERTH_EXCLUDES(mutex_);

  // What has come and was not taken.
  std::vector<std::string> changes() const BERTH_EXCLUDES(mutex_);
  size_t problems() const BERTH_EXCLUDES(mutex_);
  int synced() const BERTH_EXCLUDES(mutex_);
  size_t answers() const BERTH_EXCLUDES(mutex_);  // taken ones included

 private:
  void Wait() BERTH_REQUIRES(mutex_);

  mutable Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> changes_ BERTH_GUARDED_BY(mutex_);
  std::vector<std::string> problems_ BERTH_GUARDED_BY(mutex_);
  std::map<home::Ticket, home::Completion> answers_ BERTH_GUARDED_BY(mutex_);
  int synced_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::kube
