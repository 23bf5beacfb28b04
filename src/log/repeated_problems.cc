// SPDX-License-Identifier: Apache-2.0
#include "log/repeated_problems.h"

#include "log/record.h"

namespace berth::log {

bool RepeatedProblems::Report(const Logger& logger, std::string_view key, std::string_view message, Fields fields) {
  if (!IsNew(key, message, fields)) return false;
  logger.Error(message, fields);
  return true;
}

bool RepeatedProblems::IsNew(std::string_view key, std::string_view message, Fields fields) {
  const MutexLock lock(mutex_);
  ++total_;
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    ++known->second->count;
    problems_.splice(problems_.begin(), problems_, known->second);
    return false;
  }
  problems_.push_front({std::string(key), MessageText(message, fields), 1});
  by_key_.emplace(problems_.front().key, problems_.begin());
  if (problems_.size() > capacity_) {
    by_key_.erase(problems_.back().key);
    problems_.pop_back();
  }
  return true;
}

void RepeatedProblems::Forget(std::string_view key) {
  const MutexLock lock(mutex_);
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return;
  const auto problem = known->second;
  by_key_.erase(known);
  problems_.erase(problem);
}

std::vector<RepeatedProblems::Problem> RepeatedProblems::Known() const {
  const MutexLock lock(mutex_);
  return {problems_.begin(), problems_.end()};
}

uint64_t RepeatedProblems::total() const {
  const MutexLock lock(mutex_);
  return total_;
}

}  // namespace berth::log
