// SPDX-License-Identifier: Apache-2.0
#include "kube/home/test_listener.h"

#include "base/check.h"

#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {

bool TestListener::TakeChanges(std::vector<home::ObjectChange>& changes) {
  const MutexLock lock(mutex_);
  for (const home::ObjectChange& change : changes) {
    const api::ObjectMeta& meta = api::MetaOf(change.object);
    changes_.push_back(fmt::format("{} {} {}", change.type == home::ObjectChange::Type::Set ? "set" : "deleted",
                                   meta.Key(), meta.resource_version));
  }
  changed_.NotifyAll();
  return true;
}

void TestListener::Synced() {
  const MutexLock lock(mutex_);
  ++synced_;
  changed_.NotifyAll();
}

void TestListener::TakeCompletions(std::vector<home::Completion>& completions) {
  const MutexLock lock(mutex_);
  for (home::Completion& completion : completions) {
    const home::Ticket ticket = completion.ticket;
    const bool is_first = answers_.emplace(ticket, std::move(completion)).second;
    BERTH_CHECK(is_first);
  }
  changed_.NotifyAll();
}

void TestListener::TakeProblem(home::FeedProblem problem) {
  constexpr std::array<std::string_view, 4> kKinds = {"Unreadable", "Readable", "Interrupted", "Recovered"};
  const MutexLock lock(mutex_);
  problems_.push_back(
      fmt::format("{} {}: {}", kKinds.at(static_cast<size_t>(problem.kind)), problem.object, problem.error));
  changed_.NotifyAll();
}

void TestListener::Wait() {
  BERTH_CHECK(changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + std::chrono::minutes(1)));
}

std::vector<std::string> TestListener::WaitForChanges(size_t count) {
  const MutexLock lock(mutex_);
  while (changes_.size() < count) Wait();
  return std::exchange(changes_, {});
}

std::string TestListener::WaitForProblem() {
  const MutexLock lock(mutex_);
  while (problems_.empty()) Wait();
  std::string problem = std::move(problems_.front());
  problems_.erase(problems_.begin());
  return problem;
}

int TestListener::WaitForSynced() {
  const MutexLock lock(mutex_);
  while (synced_ == 0) Wait();
  return synced_;
}

home::Completion TestListener::WaitForAnswer(home::Ticket ticket) {
  const MutexLock lock(mutex_);
  while (!answers_.contains(ticket)) Wait();
  return answers_.at(ticket);
}

std::vector<std::string> TestListener::changes() const {
  const MutexLock lock(mutex_);
  return changes_;
}

size_t TestListener::problems() const {
  const MutexLock lock(mutex_);
  return problems_.size();
}

int TestListener::synced() const {
  const MutexLock lock(mutex_);
  return synced_;
}

size_t TestListener::answers() const {
  const MutexLock lock(mutex_);
  return answers_.size();
}

}  // namespace berth::kube
