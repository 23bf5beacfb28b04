// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "log/logger.h"

#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::log {

// Recurring problems, such as an object that cannot be decoded or a missing permission: the first report of a key is
// logged, and the 10th, the 100th and so on, so that a problem that lasts is found in the latest part of a log, too.
// The others are only counted. When there are too many keys the least recently reported is forgotten, and logged again
// if it recurs. Any thread.
class RepeatedProblems {
 public:
  explicit RepeatedProblems(size_t capacity = 1024) : capacity_(capacity) {}

  // Logs the message as an error if it is to be. Returns whether it did.
  bool Report(const Logger& logger, std::string_view key, std::string_view message, Fields fields = {});

  // Call when the problem is gone, so that it is logged again if it recurs.
  bool Forget(std::string_view key);

  struct Problem {
    std::string key;
    std::string text;    // the message and fields of the first report
    uint64_t count = 0;  // of reports, including the first
  };
  std::vector<Problem> Known() const;  // most recent first
  uint64_t total() const;              // number of reports, including those of forgotten keys

 private:
  bool IsNews(std::string_view key, std::string_view message, Fields fields);

  const size_t capacity_;
  mutable Mutex mutex_;
  std::list<Problem> problems_ BERTH_GUARDED_BY(mutex_);  // most recent first
  // The keys point into the list's nodes, which do not move.
  std::unordered_map<std::string_view, std::list<Problem>::iterator> by_key_ BERTH_GUARDED_BY(mutex_);
  uint64_t total_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::log
