// SPDX-License-Identifier: Apache-2.0
#include "cmd/log_options.h"

#include <unistd.h>
#include <utility>

namespace berth::cmd {

Log MakeLog(std::string_view format, int verbosity, std::vector<log::ModuleLevel> modules, std::ostream& stream,
            const Clock& clock) {
  log::Options options;
  options.format = format == "json" ? log::Format::Json : log::Format::Text;
  options.verbosity = verbosity;
  options.modules = std::move(modules);
  options.process = getpid();
  Log made;
  made.output = std::make_unique<log::Output>(stream, clock, std::move(options));
  made.root = log::Logger(*made.output, "");
  return made;
}

Result<Log> OpenLog(const LogFlags& flags, std::ostream& stream, const Clock& clock) {
  BERTH_ASSIGN_OR_RETURN(std::vector<log::ModuleLevel> modules, log::ParseModuleLevels(flags.modules));
  return MakeLog(flags.format, flags.verbosity, std::move(modules), stream, clock);
}

}  // namespace berth::cmd
