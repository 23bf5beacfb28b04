// SPDX-License-Identifier: Apache-2.0
#include "kube/access/kubeconfig.h"

#include "kube/access/access_builder.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::kube {
namespace {

std::vector<std::string> SplitPathList(const std::string& list) {
  std::vector<std::string> paths;
  size_t start = 0;
  while (start <= list.size()) {
    const size_t end = std::min(list.find(':', start), list.size());
    std::string path = list.substr(start, end - start);
    if (!path.empty() && std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
    start = end + 1;
  }
  return paths;
}

std::string AbsolutePath(const std::string& path, const Surroundings& surroundings) {
  if (path.starts_with('/')) return path;
  return (std::filesystem::path(surroundings.working_folder) / path).lexically_normal().string();
}

std::vector<std::string> PathsToRead(const std::string& explicit_path, const Surroundings& surroundings) {
  if (!explicit_path.empty()) return {explicit_path};
  if (const std::string list = surroundings.Variable("KUBECONFIG"); !list.empty()) return SplitPathList(list);
  return {(std::filesystem::path(surroundings.Variable("HOME")) / ".kube/config").string()};
}

}  // namespace

Result<FoundKubeconfig> ReadKubeconfigFiles(const std::string& explicit_path, const Surroundings& surroundings) {
  FoundKubeconfig found;
  std::vector<std::string> problems;
  for (const std::string& named : PathsToRead(explicit_path, surroundings)) {
    const std::string path = AbsolutePath(named, surroundings);
    const Result<std::string> text = surroundings.read_file(path);
    if (!text) {
      if (text.error().code != ErrorCode::NotFound) {
        problems.push_back(fmt::format("error loading config file \"{}\": {}", path, text.error().message));
      } else if (explicit_path.empty()) {
        found.missing.push_back(path);
      } else {
        problems.push_back(fmt::format("kubeconfig \"{}\" does not exist", path));
      }
      continue;
    }
    Result<Kubeconfig> one = ParseKubeconfig(*text, path);
    if (one) {
      found.merged.MergeBehind(*std::move(one));
    } else {
      problems.push_back(fmt::format("error loading config file \"{}\": {}", path, one.error().message));
    }
  }
  if (!problems.empty()) return InvalidError(fmt::format("{}", fmt::join(problems, "\n")));
  return found;
}

Result<ClusterAccess> ResolveAccess(const FoundKubeconfig& found, const KubeconfigOverrides& overrides,
                                    const Surroundings& surroundings) {
  AccessBuilder builder(found, overrides, surroundings);
  return builder.Build();
}

Result<ClusterAccess> LoadKubeconfig(const std::string& explicit_path, const KubeconfigOverrides& overrides,
                                     const Surroundings& surroundings) {
  BERTH_ASSIGN_OR_RETURN(const FoundKubeconfig found, ReadKubeconfigFiles(explicit_path, surroundings));
  return ResolveAccess(found, overrides, surroundings);
}

}  // namespace berth::kube
