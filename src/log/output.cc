// SPDX-License-Identifier: Apache-2.0
#include "log/output.h"

#include <utility>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>

namespace berth::log {

// Lines arrive here fully formatted, because the time comes from our Clock and the layout from klog; spdlog writes them
// one at a time and swallows exceptions thrown by the stream.
class Output::Sink {
 public:
  explicit Sink(std::ostream& stream)
      : logger_("berth", std::make_shared<spdlog::sinks::ostream_sink_mt>(stream, /*force_flush=*/true)) {
    logger_.set_level(spdlog::level::trace);
    logger_.set_formatter(std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc, "\n"));
    logger_.set_error_handler([](const std::string&) {});
  }
  void Write(const std::string& line) { logger_.log(spdlog::level::info, line); }

 private:
  spdlog::logger logger_;
};

Output::Output(std::ostream& stream, const Clock& clock, Options options)
    : clock_(clock), options_(std::move(options)), general_(options_.verbosity), sink_(std::make_unique<Sink>(stream)) {
  for (const ModuleLevel& level : options_.modules) by_pattern_.emplace_back(level.verbosity);
}

Output::~Output() = default;

const std::atomic<int>& Output::LevelOf(std::string_view module) const {
  for (size_t i = 0; i < by_pattern_.size(); ++i) {
    if (MatchesModule(options_.modules[i].pattern, module)) return by_pattern_[i];
  }
  return general_;
}

void Output::Write(Record record) const {
  record.time = clock_.Now();
  record.process = options_.process;
  sink_->Write(options_.format == Format::Json ? JsonLine(record) : TextLine(record));
}

}  // namespace berth::log
