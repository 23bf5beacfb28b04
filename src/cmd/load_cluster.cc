// SPDX-License-Identifier: Apache-2.0
#include "cmd/load_cluster.h"

#include "config/load.h"
#include "config/plan.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

namespace fs = std::filesystem;
using simulator::DescribedCluster;

constexpr std::string_view kStandardInput = "-";

bool IsManifestName(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".yaml" || extension == ".yml" || extension == ".json";
}

Result<std::vector<std::string>> FilesIn(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code failed;
  for (fs::directory_iterator it(directory, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code ignored;
    if (IsManifestName(it->path()) && !it->is_directory(ignored)) files.push_back(it->path().string());
  }
  if (failed) return InvalidError(fmt::format("cannot read directory {}: {}", directory, failed.message()));
  if (files.empty()) return NotFoundError(fmt::format("directory {} holds no .yaml, .yml or .json files", directory));
  std::sort(files.begin(), files.end());
  return files;
}

void Warn(std::ostream& err, std::string_view text) { err << "berth: warning: " << text << '\n'; }
void Fail(std::ostream& err, std::string_view text) { err << "berth: " << text << '\n'; }

// Every plan of the configuration, with what reading it had to change on `err`.
Result<std::vector<config::ProfilePlan>> PlansFor(const std::string& path, const framework::Registry& registry,
                                                  std::ostream& err) {
  if (path.empty()) return config::PlanProfiles(config::DefaultConfiguration(), registry);
  auto outcome = config::LoadAndPlanFile(path, registry);
  if (const auto* problem = std::get_if<config::ConfigProblem>(&outcome)) {
    return InvalidError(fmt::format("configuration {} cannot be used\n{}", path, fmt::join(problem->messages, "\n")));
  }
  auto& planned = std::get<config::PlannedConfiguration>(outcome);
  for (const std::string& note : planned.loaded.notes) err << path << ": note: " << note << '\n';
  if (!planned.loaded.config.extenders.empty()) {
    Warn(err, fmt::format("{} names extenders: they are not called here", path));
  }
  return std::move(planned.plans);
}

void ReportIgnoredKinds(const api::Manifests& manifests, std::ostream& err) {
  if (manifests.ignored.empty()) return;
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : manifests.ignored) kinds.push_back(fmt::format("{} {}", count, kind));
  err << fmt::format("berth: ignored {}: the scheduler does not read these kinds\n", fmt::join(kinds, ", "));
}

}  // namespace

Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (path == kStandardInput || !fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> inside, FilesIn(path));
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

std::unique_ptr<DescribedCluster> BuildCluster(const api::Manifests& manifests, const std::string& config,
                                               const framework::Registry& registry, std::ostream& err) {
  Result<std::vector<config::ProfilePlan>> plans = PlansFor(config, registry, err);
  if (!plans) {
    Fail(err, plans.error().message);
    return nullptr;
  }
  auto described = DescribedCluster::Make(manifests, std::move(*plans), registry);
  if (!described) {
    Fail(err, described.error().message);
    return nullptr;
  }
  ReportIgnoredKinds(manifests, err);
  for (const std::string& warning : (*described)->warnings()) Warn(err, warning);
  if ((*described)->cluster().node_count() == 0) Warn(err, "the files describe no node");
  return std::move(*described);
}

std::unique_ptr<DescribedCluster> LoadCluster(const ClusterOptions& options, const framework::Registry& registry,
                                              std::ostream& err) {
  const Result<std::vector<std::string>> files = ExpandFiles(options.files);
  if (!files) {
    Fail(err, files.error().message);
    return nullptr;
  }
  const Result<api::Manifests> manifests = api::LoadManifests(*files);
  if (!manifests) {
    Fail(err, manifests.error().message);
    return nullptr;
  }
  return BuildCluster(*manifests, options.config, registry, err);
}

}  // namespace berth::cmd
