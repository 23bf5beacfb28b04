// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "log/field.h"
#include "log/record.h"

#include <atomic>
#include <string>
#include <string_view>

namespace berth::log {

class Output;

// Logs on behalf of one module. Passed in, never global; copies are cheap and write to the same Output, which must
// outlive them. Any thread may use one.
//
// A disabled call costs one comparison: nothing is formatted, nothing allocated. Guard values that are expensive to
// compute with On():
//   if (log.On(4)) log.V(4).Info("Nodes were judged", {{"pod", PodName(pod)}, {"feasible", CountFeasible(verdicts)}});
class Logger {
 public:
  // Messages logged only from some verbosity on.
  class Verbose {
   public:
    void Info(std::string_view message, Fields fields = {}) const {
      if (logger_ != nullptr) logger_->Write(Severity::Info, level_, message, fields);
    }

   private:
    friend class Logger;
    Verbose(const Logger* logger, int level) : logger_(logger), level_(level) {}
    const Logger* logger_;  // null: disabled
    int level_;
  };

  Logger() = default;  // discards everything
  Logger(const Output& output, std::string module);
  // The same for a part of the module: "plugins" becomes "plugins/NodeName".
  Logger Named(std::string_view part) const;

  // Returns whether messages of this verbosity are logged. 0: operators always want to know; 2: what changes; 4: why;
  // 6: everything but scores; 10: scores.
  bool On(int verbosity) const { return verbosity <= verbosity_->load(std::memory_order_relaxed); }
  Verbose V(int verbosity) const { return {On(verbosity) ? this : nullptr, verbosity}; }

  void Info(std::string_view message, Fields fields = {}) const { V(0).Info(message, fields); }
  void Warning(std::string_view message, Fields fields = {}) const {
    if (output_ != nullptr) Write(Severity::Warning, 0, message, fields);
  }
  void Error(std::string_view message, Fields fields = {}) const {
    if (output_ != nullptr) Write(Severity::Error, 0, message, fields);
  }

  const std::string& module() const { return module_; }

 private:
  static const std::atomic<int> kNothing;

  void Write(Severity severity, int verbosity, std::string_view message, Fields fields) const;

  const Output* output_ = nullptr;
  std::string module_;
  const std::atomic<int>* verbosity_ = &kNothing;
};

}  // namespace berth::log
