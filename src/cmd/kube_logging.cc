// SPDX-License-Identifier: Apache-2.0
#include "cmd/kube_logging.h"

#include "config/fields/go_duration.h"

#include <string_view>

namespace berth::cmd {

config::Messages ValidateLogging(const LoggingFlags& flags, const features::FeatureGates& gates) {
  config::Messages errors;
  if (flags.flush_frequency <= Duration{}) {
    errors.push_back(config::Invalid("flushFrequency", config::FormatGoDuration(flags.flush_frequency),
                                     "Must be greater than zero"));
  }
  if (flags.format != "text" && flags.format != "json") {
    errors.push_back(config::Invalid("format", flags.format, "Unsupported log format"));
  }
  if (!flags.modules.empty() && flags.format != "text" && !flags.format.empty()) {
    errors.push_back(config::Forbidden("vmodule", "Only supported for text log format"));
  }
  const auto alpha = [&](bool used, std::string_view path) {
    if (!used || gates.Enabled(features::Gate::LoggingAlphaOptions)) return;
    errors.push_back(config::Forbidden(path, "Feature LoggingAlphaOptions is disabled"));
  };
  alpha(flags.text_split_stream, "options.text.splitStream");
  alpha(flags.text_info_buffer_size != 0, "options.text.infoBufferSize");
  alpha(flags.json_split_stream, "options.json.splitStream");
  alpha(flags.json_info_buffer_size != 0, "options.json.infoBufferSize");
  return errors;
}

Log OpenKubeLog(const LoggingFlags& flags, std::ostream& stream, const Clock& clock) {
  return MakeLog(flags.format, flags.verbosity, flags.modules, stream, clock);
}

}  // namespace berth::cmd
