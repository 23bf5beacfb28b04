// SPDX-License-Identifier: Apache-2.0
#include "cmd/log_options.h"

#include <unistd.h>
#include <utility>

namespace berth::cmd {

Result<Log> OpenLog(const LogFlags& flags, std::ostream& stream, const Clock& clock) {
  log::Options options;
  options.format = flags.format == "json" ? log::Format::Json : log::Format::Text;
  options.verbosity = flags.verbosity;
  BERTH_ASSIGN_OR_RETURN(options.modules, log::ParseModuleLevels(flags.modules));
  options.process = getpid();
  Log opened;
  opened.output = std::make_unique<log::Output>(stream, clock, std::move(options));
  opened.root = log::Logger(*opened.output, "");
  return opened;
}

}  // namespace berth::cmd
