// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "simulator/record/run_record.h"

#include <fstream>
#include <string>
#include <string_view>

namespace berth::simulator {

// Writes a record during the run, to PATH.tmp; Finish seals it and renames it. What was flushed survives a crash of the
// process and can be replayed. One thread.
class RecordWriter {
 public:
  // Fails when the file cannot be created.
  static Result<std::unique_ptr<RecordWriter>> Create(const std::string& path, const RecordHeader& header);
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  void Add(const RecordedInput& input);
  void AddDecision(std::string_view decision);
  // Hands everything written so far to the operating system.
  Result<void> Flush();
  Result<void> Finish(Duration end);

 private:
  explicit RecordWriter(std::string path);
  void WriteLine(std::string_view line);
  Error Failed(std::string_view what) const;

  const std::string path_;
  const std::string temporary_;
  std::ofstream file_;
  RecordChecksum checksum_;
  uint64_t inputs_ = 0;
  uint64_t decisions_ = 0;
};

}  // namespace berth::simulator
