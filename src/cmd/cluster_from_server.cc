// SPDX-License-Identifier: Apache-2.0
#include "cmd/cluster_from_server.h"

#include "kube/access/find_cluster.h"
#include "kube/client/waiting_client.h"
#include "kube/home/resource.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ostream>
#include <utility>

#include <fmt/format.h>

namespace berth::cmd {
namespace {

constexpr size_t kPage = 500;
constexpr std::string_view kLivePods = "status.phase!=Succeeded,status.phase!=Failed";

Result<std::string> Get(kube::WaitingClient& client, std::string path) {
  constexpr size_t kMaxAnswer = size_t{4} << 30U;  // all pods of a cluster, in one piece
  const kube::ApiResponse response =
      client.Send({.path = std::move(path), .timeout = std::chrono::seconds(60), .max_answer = kMaxAnswer});
  if (!response.ok()) return kube::ToError(response);
  return response.body;
}

Result<kube::Resource> Find(kube::WaitingClient& client, const std::string& kind) {
  if (const std::optional<kube::Resource> known = kube::ResourceOf(kind)) return *known;
  BERTH_ASSIGN_OR_RETURN(const std::string group, Get(client, "/apis/" + kind.substr(kind.find('.') + 1)));
  BERTH_ASSIGN_OR_RETURN(const std::string version, kube::PreferredVersion(group));
  BERTH_ASSIGN_OR_RETURN(const std::string resources, Get(client, "/apis/" + version));
  return kube::ResourceIn(resources, kind);
}

// All objects of a kind, in pages of this many; 0: in one.
Result<std::vector<api::Document>> ReadPages(kube::WaitingClient& client, const kube::Resource& resource,
                                             const std::string& kind, size_t limit) {
  std::vector<api::Document> pages;
  std::string token;
  do {
    std::string path = fmt::format("{}?limit={}", resource.Path(), limit);
    if (kind == "Pod") path += "&fieldSelector=" + kube::Escaped(kLivePods);
    if (!token.empty()) path += "&continue=" + kube::Escaped(token);
    BERTH_ASSIGN_OR_RETURN(const std::string body, Get(client, std::move(path)));
    BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> page, api::ReadDocuments(body, resource.plural));
    if (page.size() != 1) return InvalidError(fmt::format("the list of {} is not one document", resource.plural));
    const api::Value* meta = page.front().root.Find("metadata");
    const api::Value* next = meta == nullptr ? nullptr : meta->Find("continue");
    token = next == nullptr ? std::string() : next->text();
    pages.push_back(std::move(page.front()));
  } while (!token.empty());
  return pages;
}

Result<std::vector<api::Document>> ReadKind(kube::WaitingClient& client, const std::string& kind) {
  BERTH_ASSIGN_OR_RETURN(const kube::Resource resource, Find(client, kind));
  Result<std::vector<api::Document>> pages = ReadPages(client, resource, kind, kPage);
  // The server has forgotten the version that the pages were of: a list in one piece needs none.
  if (!pages && pages.error().code == ErrorCode::Expired) return ReadPages(client, resource, kind, 0);
  return pages;
}

}  // namespace

Result<std::vector<api::Document>> ReadFromServer(const ServerOptions& options, std::span<const std::string> kinds,
                                                  std::ostream& err) {
  const kube::Surroundings surroundings = kube::OfThisProcess();
  kube::KubeconfigOverrides overrides;
  overrides.context = options.context;
  BERTH_ASSIGN_OR_RETURN(const kube::ClusterAccess access,
                         kube::FindClusterForUser(options.kubeconfig, overrides, {}, surroundings));
  for (const std::string& warning : access.warnings) err << "berth: warning: " << warning << '\n';
  kube::WaitingClient client(access, surroundings);
  std::vector<api::Document> documents;
  for (const std::string& kind : kinds) {
    Result<std::vector<api::Document>> read = ReadKind(client, kind);
    if (read) {
      std::ranges::move(*read, std::back_inserter(documents));
      continue;
    }
    if (kind == "Pod" || kind == "Node") {
      return Error{read.error().code,
                   fmt::format("cannot read {}s of {}: {}", kind, access.server.Text(), read.error().message)};
    }
    err << fmt::format("berth: warning: objects of kind {} are left out: {}\n", kind, read.error().message);
  }
  return documents;
}

}  // namespace berth::cmd
