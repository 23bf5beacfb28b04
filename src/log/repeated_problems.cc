// SPDX-License-Identifier: Apache-2.0
#include "log/repeated_problems.h"

#include "log/record.h"

namespace berth::log {
namespace {

bool IsPowerOfTen(uint64_t count) {
  while (count % 10 == 0) count /= 10;
  return count == 1;
}

}  // namespace

bool RepeatedProblems::Report(const Logger& logger, std::string_view key, std::string_view message, Fields fields) {
  if (!IsNews(key, message, fields)) return false;
  logger.Error(message, fields);
  return true;
}

bool RepeatedProblems::IsNews(std::string_view key, std::string_view message, Fields fields) {
  const MutexLock lock(mutex_);
  ++total_;
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    problems_.splice(problems_.begin(), problems_, known->second);
    return IsPowerOfTen(++known->second->count);
  }
  problems_.push_front({std::string(key), MessageText(message, fields), 1});
  by_key_.emplace(problems_.front().key, problems_.begin());
  if (problems_.size() > capacity_) {
    by_key_.erase(problems_.back().key);
    problems_.pop_back();
  }
  return true;
}

bool RepeatedProblems::Forget(std::string_view key) {
  const MutexLock lock(mutex_);
  const auto known = by_key_.find(key);
  if (known == by_key_.end()) return false;
  const auto problem = known->second;
  by_key_.erase(known);
  problems_.erase(problem);
  return true;
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
