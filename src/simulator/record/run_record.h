// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/result.h"
#include "features/feature_gates.h"
#include "simulator/run/input.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A record of a run: a file of JSON lines from which the run can be replayed, decision by decision. The first line has
// the version, configuration and seed; every further one is an input or a decision, in the order they happened; the
// last one seals the record. docs/cli.md describes them.
namespace berth::simulator {

inline constexpr std::string_view kRecordKind = "SimulationRecord";

struct RecordHeader {
  std::string berth;     // the version that wrote it
  std::string scenario;  // its name
  uint64_t seed = 0;
  Timestamp start;
  api::Value config;    // a KubeSchedulerConfiguration
  api::Value document;  // the scenario, for information only; null when there was none
  features::FeatureGates features;
};

struct RecordedInput {
  uint64_t step = 0;
  Duration at{};  // since the start
  Input input;
};

struct RunRecord {
  RecordHeader header;
  std::vector<RecordedInput> inputs;
  std::vector<std::string> decisions;  // as written by scheduler::ToLine
  std::optional<Duration> end;         // absent when the last line is missing
  std::string damage;                  // why the rest could not be read; empty when the record is complete
};

// Lines without their newline.
std::string HeaderLine(const RecordHeader& header);
std::string InputLine(const RecordedInput& input);
std::string DecisionLine(std::string_view decision);

// FNV-1a over all preceding lines.
class RecordChecksum {
 public:
  void Add(std::string_view text);
  std::string text() const;

 private:
  uint64_t hash_ = kFnvStart;
};
std::string EndLine(Duration end, uint64_t inputs, uint64_t decisions, const RecordChecksum& checksum);

// Reads a record as far as possible: for a truncated or damaged file, returns what precedes the damage and describes it
// in `damage`. Fails when even the first line is invalid, or when the seal does not match the content.
Result<RunRecord> ReadRecord(std::string_view text, std::string_view source);
Result<RunRecord> ReadRecordFile(const std::string& path);

}  // namespace berth::simulator
