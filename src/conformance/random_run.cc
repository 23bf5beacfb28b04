// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_run.h"

#include "api/document.h"
#include "conformance/journey_run.h"

#include <chrono>
#include <fstream>

#include <fmt/format.h>

namespace berth::conformance {
namespace {

constexpr size_t kDifferencesShown = 5;
constexpr double kUsualSeconds = 10;
constexpr double kProgressEvery = 5;  // seconds

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Show(const RandomOptions& options, uint64_t number, const JourneyDifference& difference, std::ostream& out) {
  out << fmt::format("journey {} differs at step {}, {}: see it again with --random --seed {} --journey {}\n", number,
                     difference.step, difference.about, options.seed, number);
  for (const std::string& field : difference.fields) out << "  " << field << '\n';
}

Result<void> Write(const std::string& path, const api::Value& line) {
  std::ofstream file(path, std::ios::trunc);
  file << api::ToJson(line) << '\n';
  if (!file.flush()) return Error{ErrorCode::Unavailable, fmt::format("cannot write {}", path)};
  return {};
}

}  // namespace

Result<RandomSummary> RunRandom(const RandomOptions& options, const framework::Registry& registry, std::ostream& out,
                                std::ostream& progress) {
  const auto start = std::chrono::steady_clock::now();
  const double seconds = options.seconds.value_or(options.journeys ? 1e9 : kUsualSeconds);
  const uint64_t first = options.journey.value_or(0);
  const uint64_t last = options.journey ? first + 1 : options.journeys.value_or(UINT64_MAX);
  RandomSummary summary;
  double told = 0;
  for (uint64_t number = first; number < last; ++number) {
    if (!options.journey && (Since(start) >= seconds || summary.differences == kDifferencesShown)) break;
    BERTH_ASSIGN_OR_RETURN(const JourneyOutcome outcome,
                           RunJourney(options.seed, number, registry, !options.write_file.empty()));
    ++summary.journeys;
    summary.steps += outcome.steps;
    summary.decisions += outcome.decisions;
    summary.hints += outcome.hints;
    if (outcome.difference) {
      ++summary.differences;
      Show(options, number, *outcome.difference, out);
    }
    if (!options.write_file.empty()) BERTH_RETURN_IF_ERROR(Write(options.write_file, outcome.written));
    if (const double now = Since(start); now - told >= kProgressEvery) {
      told = now;
      progress << fmt::format("{} journeys, {} steps, {} decisions, {} hints in {:.0f} s\n", summary.journeys,
                              summary.steps, summary.decisions, summary.hints, now);
    }
  }
  out << fmt::format("{} journeys, {} steps, {}\n", summary.journeys, summary.steps,
                     summary.differences == 0 ? "no difference" : fmt::format("{} differ", summary.differences));
  return summary;
}

}  // namespace berth::conformance
