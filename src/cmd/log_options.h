// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "log/logger.h"
#include "log/output.h"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cmd {

// The logging flags.
struct LogFlags {
  std::string format = "text";  // or json
  int verbosity = 0;
  std::string modules;  // "queue=4,plugins/*=2"
};

// A program's log: where lines go, and the logger from which all others are derived.
struct Log {
  std::unique_ptr<log::Output> output;
  log::Logger root;
};
// The clock and the stream must outlive it. The format is "text" or "json".
Log MakeLog(std::string_view format, int verbosity, std::vector<log::ModuleLevel> modules, std::ostream& stream,
            const Clock& clock);
Result<Log> OpenLog(const LogFlags& flags, std::ostream& stream, const Clock& clock);

}  // namespace berth::cmd
