// SPDX-License-Identifier: Apache-2.0
#include "log/logger.h"

#include "log/output.h"

#include <utility>

namespace berth::log {

constinit const std::atomic<int> Logger::kNothing{-1};

Logger::Logger(const Output& output, std::string module)
    : output_(&output), module_(std::move(module)), verbosity_(&output.LevelOf(module_)) {}

Logger Logger::Named(std::string_view part) const {
  if (output_ == nullptr) return {};
  return {*output_, module_.empty() ? std::string(part) : module_ + "/" + std::string(part)};
}

void Logger::Write(Severity severity, int verbosity, std::string_view message, Fields fields) const {
  Record record;
  record.severity = severity;
  record.verbosity = verbosity;
  record.module = module_;
  record.message = message;
  record.fields = fields;
  output_->Write(record);
}

}  // namespace berth::log
