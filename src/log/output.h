// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "log/module_levels.h"
#include "log/record.h"

#include <atomic>
#include <deque>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

namespace berth::log {

enum class Format : uint8_t { Text, Json };

struct Options {
  Format format = Format::Text;
  int verbosity = 0;                 // of modules that no pattern matches
  std::vector<ModuleLevel> modules;  // the first match wins
  int64_t process = 0;               // the process id in text lines
};

// Where log lines go: one per program, shared by its Loggers, which it must outlive. Lines of different threads do not
// interleave. Any thread.
class Output {
 public:
  // The stream and the clock must outlive it. Write errors are ignored: logging never fails.
  Output(std::ostream& stream, const Clock& clock, Options options);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  const Options& options() const { return options_; }
  // The verbosity of a module, which lives as long as this.
  const std::atomic<int>& LevelOf(std::string_view module) const;
  // Of modules that no pattern matches, from now on.
  void SetVerbosity(int verbosity) { general_ = verbosity; }
  // Adds time and process to the record and writes it.
  void Write(Record record) const;

 private:
  class Sink;
  const Clock& clock_;
  const Options options_;
  std::atomic<int> general_;
  std::deque<std::atomic<int>> by_pattern_;  // in the order of the options
  std::unique_ptr<Sink> sink_;
};

}  // namespace berth::log
