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

// Problems that come again and again, such as an object that cannot be read or a right that is missing: the first of
// a key is logged, the others are counted. The keys met least recently are forgotten when there are too many; such a
// problem is logged again when it comes back. Any thread.
class RepeatedProblems {
 public:
  explicit RepeatedProblems(size_t capacity = 1024) : capacity_(capacity) {}

  // Logs the message as an error unless `key` is known. Says whether it did.
  bool Report(const Logger& logger, std::string_view key, std::string_view message, Fields fields = {});

  // The problem is gone: when it comes back, it is news.
  void Forget(std::string_view key);

  struct Problem {
    std::string key;
    std::string text;    // what was said the first time
    uint64_t count = 0;  // how often it came, the first time included
  };
  std::vector<Problem> Known() const;  // the most recent first
  uint64_t total() const;              // reports, forgotten ones included

 private:
  bool IsNew(std::string_view key, std::string_view message, Fields fields);

  const size_t capacity_;
  mutable Mutex mutex_;
  std::list<Problem> problems_ BERTH_GUARDED_BY(mutex_);  // the most recent first
  // Keys are those of the list's nodes, which do not move.
  std::unordered_map<std::string_view, std::list<Problem>::iterator> by_key_ BERTH_GUARDED_BY(mutex_);
  uint64_t total_ BERTH_GUARDED_BY(mutex_) = 0;
};

}  // namespace berth::log
