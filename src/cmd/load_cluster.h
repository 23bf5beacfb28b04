// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/manifest.h"
#include "base/result.h"
#include "cmd/cluster_from_server.h"
#include "cmd/streams.h"
#include "config/load.h"
#include "features/feature_gates.h"
#include "framework/registry.h"
#include "log/logger.h"
#include "simulator/described_objects.h"

#include <optional>
#include <string>
#include <vector>

namespace berth::cmd {

// Which cluster a command works on.
struct ClusterOptions {
  bool is_described() const { return !files.empty() || server.is_asked(); }

  std::vector<std::string> files;  // files, directories, or "-" for standard input
  ServerOptions server;            // a cluster that is asked for its objects; those of the files come on top
  std::string config;              // a KubeSchedulerConfiguration; empty means the default one
  bool asks_extenders = false;     // those that the configuration names; otherwise that they are not is said
  features::FeatureGates gates;
  log::Logger log;
};

// As scheduler_setup.h has it, for these options.
Result<config::PlannedConfiguration> LoadPlanned(const ClusterOptions& options, const framework::Registry& registry,
                                                 std::ostream& err);

// Every file a command reads: a directory expands to the .yaml, .yml and .json files in it, sorted by name.
Result<std::vector<std::string>> ExpandFiles(const std::vector<std::string>& paths);

// The documents of files, and why others could not be read.
struct Documents {
  std::vector<api::Document> documents;
  std::vector<std::string> problems;
};
Documents ReadDocuments(const std::vector<std::string>& paths);

// Prints, in one line, which kinds of objects are ignored.
void ReportIgnoredKinds(const api::Manifests& manifests, std::ostream& err);

// What a command works on: the objects of the files, and the configuration.
struct LoadedCluster {
  simulator::DescribedObjects objects;
  config::PlannedConfiguration planned;
};

// Reads files and configuration. Warnings go to `err`, one line each, and so does the reason for a failure.
std::optional<LoadedCluster> LoadCluster(const ClusterOptions& options, const framework::Registry& registry,
                                         std::ostream& err);

// The same for objects already in memory: the files of `options` are not read.
std::optional<LoadedCluster> LoadCluster(api::Manifests manifests, const ClusterOptions& options,
                                         const framework::Registry& registry, std::ostream& err);
std::optional<LoadedCluster> LoadCluster(Documents documents, const ClusterOptions& options,
                                         const framework::Registry& registry, std::ostream& err);

}  // namespace berth::cmd
