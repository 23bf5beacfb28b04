// SPDX-License-Identifier: Apache-2.0
#include "cmd/load_cluster.h"

#include "api/object.h"
#include "cmd/scheduler_setup.h"
#include "config/declared_kinds.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

namespace fs = std::filesystem;

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

LoadedCluster Assemble(api::Manifests manifests, config::PlannedConfiguration planned, std::ostream& err) {
  ReportIgnoredKinds(manifests, err);
  LoadedCluster loaded{simulator::DescribedObjects::From(std::move(manifests), planned.plans), std::move(planned)};
  for (const std::string& warning : loaded.objects.warnings) Warn(err, warning);
  if (loaded.objects.nodes.empty()) Warn(err, "no node is described");
  return loaded;
}

}  // namespace

void ReportIgnoredKinds(const api::Manifests& manifests, std::ostream& err) {
  if (manifests.ignored.empty()) return;
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : manifests.ignored) kinds.push_back(fmt::format("{} {}", count, kind));
  err << fmt::format("berth: ignored {}: the scheduler does not read these kinds\n", fmt::join(kinds, ", "));
}

Result<config::PlannedConfiguration> LoadPlanned(const ClusterOptions& options, const framework::Registry& registry,
                                                 std::ostream& err) {
  Result<config::PlannedConfiguration> planned = LoadPlanned(options.config, registry, options.gates, err);
  if (planned && !planned->loaded.config.extenders.empty() && !options.asks_extenders) {
    err << fmt::format("berth: warning: {} names extenders: they are not asked here (simulate has --ask-extenders)\n",
                       options.config);
  }
  return planned;
}

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

std::optional<LoadedCluster> LoadCluster(api::Manifests manifests, const ClusterOptions& options,
                                         const framework::Registry& registry, std::ostream& err) {
  Result<config::PlannedConfiguration> planned = LoadPlanned(options, registry, err);
  if (planned) return Assemble(std::move(manifests), *std::move(planned), err);
  Fail(err, planned.error().message);
  return std::nullopt;
}

Documents ReadDocuments(const std::vector<std::string>& paths) {
  Documents read;
  const Result<std::vector<std::string>> files = ExpandFiles(paths);
  if (!files) {
    read.problems.push_back(files.error().message);
    return read;
  }
  for (const std::string& file : *files) {
    Result<std::vector<api::Document>> documents = api::ReadDocumentsFromFile(file);
    if (!documents) {
      read.problems.push_back(documents.error().message);
      continue;
    }
    std::move(documents->begin(), documents->end(), std::back_inserter(read.documents));
  }
  return read;
}

std::optional<LoadedCluster> LoadCluster(Documents documents, const ClusterOptions& options,
                                         const framework::Registry& registry, std::ostream& err) {
  // The configuration comes first: it tells which custom kinds are read.
  Result<LoadedCluster> loaded = [&]() -> Result<LoadedCluster> {
    BERTH_ASSIGN_OR_RETURN(config::PlannedConfiguration planned, LoadPlanned(options, registry, err));
    BERTH_ASSIGN_OR_RETURN(const std::vector<std::string> custom_kinds,
                           config::DeclaredCustomKinds(planned.plans, *planned.loaded.registry));
    if (options.server.is_asked()) {
      std::vector<std::string> kinds = api::SchedulingKinds();
      kinds.insert(kinds.end(), custom_kinds.begin(), custom_kinds.end());
      BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> told, ReadFromServer(options.server, kinds, err));
      std::move(told.begin(), told.end(), std::back_inserter(documents.documents));
    }
    BERTH_ASSIGN_OR_RETURN(api::Manifests manifests, api::ParseManifests(std::move(documents.documents),
                                                                         std::move(documents.problems), custom_kinds));
    return Assemble(std::move(manifests), std::move(planned), err);
  }();
  if (loaded) return *std::move(loaded);
  Fail(err, loaded.error().message);
  return std::nullopt;
}

std::optional<LoadedCluster> LoadCluster(const ClusterOptions& options, const framework::Registry& registry,
                                         std::ostream& err) {
  return LoadCluster(ReadDocuments(options.files), options, registry, err);
}

}  // namespace berth::cmd
