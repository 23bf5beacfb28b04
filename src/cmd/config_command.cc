// SPDX-License-Identifier: Apache-2.0
#include "cmd/config_command.h"

#include "api/document.h"
#include "config/diff.h"
#include "config/encode.h"
#include "config/load.h"
#include "text/layout.h"
#include "text/painter.h"

#include <cstdlib>
#include <iostream>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

using config::ConfigProblem;
using config::LoadedConfiguration;
using config::PlannedConfiguration;
using text::Counted;
using text::Painter;
using text::Tone;

constexpr int kOk = 0;
constexpr int kFailed = 1;
constexpr int kNo = 3;

std::string Summary(const LoadedConfiguration& loaded) {
  std::vector<std::string> names;
  for (const config::ProfileConfig& profile : loaded.config.profiles) names.push_back(profile.scheduler_name);
  std::string text = fmt::format("{} ({})", Counted(names.size(), "profile"), fmt::join(names, ", "));
  if (!loaded.config.extenders.empty()) text += ", " + Counted(loaded.config.extenders.size(), "extender");
  return text;
}

void PrintNotes(const std::string& file, const LoadedConfiguration& loaded, const ConfigStreams& streams) {
  for (const std::string& note : loaded.notes) *streams.err << file << ": note: " << note << '\n';
}

void PrintProblem(const ConfigProblem& problem, std::ostream& stream) {
  for (const std::string& message : problem.messages) stream << message << '\n';
}

// The exit code for one file.
int Check(const std::string& file, const framework::Registry& registry, const ConfigStreams& streams,
          const features::FeatureGates& gates) {
  const Result<std::string> text = api::ReadText(file);
  if (!text) {
    *streams.err << text.error().message << '\n';
    return kFailed;
  }
  const auto outcome = config::LoadAndPlan(*text, file, registry, gates);
  if (const auto* problem = std::get_if<ConfigProblem>(&outcome)) {
    PrintProblem(*problem, *streams.out);
    *streams.out << fmt::format("{}: {}, {} at {}\n", file, Painter(streams.colour)(Tone::Bad, "not valid"),
                                Counted(problem->messages.size(), "problem"), config::StageName(problem->stage));
    return kNo;
  }
  const LoadedConfiguration& loaded = std::get<PlannedConfiguration>(outcome).loaded;
  *streams.out << fmt::format("{}: {}, {}\n", file, Painter(streams.colour)(Tone::Good, "OK"), Summary(loaded));
  if (loaded.document.Find("apiVersion")->text() != loaded.original_version) {
    *streams.err << fmt::format("{}: note: read as {}, an older version; `berth config convert` writes it as v1\n",
                                file, loaded.original_version);
  }
  PrintNotes(file, loaded, streams);
  return kOk;
}

}  // namespace

ConfigStreams StandardStreams() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool refused =
      (no_colour != nullptr && *no_colour != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
  return {&std::cout, &std::cerr, !refused && isatty(STDOUT_FILENO) == 1};
}

int RunConfigCheck(const std::vector<std::string>& files, const framework::Registry& registry,
                   const ConfigStreams& streams, const features::FeatureGates& gates) {
  int code = kOk;
  for (const std::string& file : files) {
    const int one = Check(file, registry, streams, gates);
    // A file that could not be read outweighs invalid ones: the answer is incomplete.
    if (code != kFailed && one != kOk) code = one;
  }
  return code;
}

int RunConfigConvert(const std::string& file, const framework::Registry& registry, const ConfigStreams& streams,
                     const features::FeatureGates& gates) {
  const auto outcome = config::LoadConfigurationFile(file, registry, gates);
  if (const auto* problem = std::get_if<ConfigProblem>(&outcome)) {
    PrintProblem(*problem, *streams.err);
    return kFailed;
  }
  const LoadedConfiguration& loaded = std::get<LoadedConfiguration>(outcome);
  *streams.out << api::ToYaml(loaded.document);
  PrintNotes(file, loaded, streams);
  return kOk;
}

int RunConfigDefaults(const framework::Registry& registry, const ConfigStreams& streams,
                      const features::FeatureGates& gates) {
  *streams.out << api::ToYaml(config::EncodeConfiguration(config::DefaultConfiguration(registry, gates)));
  return kOk;
}

int RunConfigDiff(const std::string& file, const framework::Registry& registry, const ConfigStreams& streams,
                  const features::FeatureGates& gates) {
  const auto outcome = config::LoadAndPlanFile(file, registry, gates);
  if (const auto* problem = std::get_if<ConfigProblem>(&outcome)) {
    PrintProblem(*problem, *streams.err);
    return kFailed;
  }
  const PlannedConfiguration& planned = std::get<PlannedConfiguration>(outcome);
  PrintNotes(file, planned.loaded, streams);
  const std::string text = config::DiffFromDefaults(planned, registry);
  *streams.out << text;
  return text.empty() ? kOk : kNo;
}

}  // namespace berth::cmd
