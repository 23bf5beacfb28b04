// SPDX-License-Identifier: Apache-2.0
#include "kube/home/resource.h"

#include "api/document.h"
#include "api/kinds.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

// In the order of api::kKinds.
constexpr std::array<std::string_view, api::kKinds.size()> kPlurals = {
    "pods",
    "nodes",
    "namespaces",
    "services",
    "replicationcontrollers",
    "replicasets",
    "statefulsets",
    "poddisruptionbudgets",
    "priorityclasses",
    "persistentvolumes",
    "persistentvolumeclaims",
    "storageclasses",
    "csinodes",
    "csidrivers",
    "csistoragecapacities",
    "volumeattachments",
};

Result<api::Value> ReadOne(std::string_view body) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(body, "discovery"));
  if (documents.size() != 1 || !documents.front().root.is_map()) return InvalidError("discovery: not a JSON object");
  return std::move(documents.front().root);
}

std::string_view TextAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text());
}

}  // namespace

std::string Resource::Path(std::string_view ns, std::string_view name) const {
  std::string path = prefix;
  if (namespaced) path.append("/namespaces/").append(Escaped(ns));
  path.append("/").append(plural);
  if (!name.empty()) path.append("/").append(Escaped(name));
  return path;
}

std::optional<Resource> ResourceOf(std::string_view kind) {
  const api::KindInfo* info = api::FindKind(kind);
  if (info == nullptr) return std::nullopt;
  Resource resource;
  resource.kind = kind;
  resource.prefix = info->group.empty() ? fmt::format("/api/{}", info->version)
                                        : fmt::format("/apis/{}/{}", info->group, info->version);
  resource.plural = kPlurals.at(static_cast<size_t>(info - api::kKinds.data()));
  resource.namespaced = info->namespaced;
  return resource;
}

Result<std::string> PreferredVersion(std::string_view discovered_group) {
  BERTH_ASSIGN_OR_RETURN(const api::Value group, ReadOne(discovered_group));
  const api::Value* preferred = group.Find("preferredVersion");
  const std::string_view version = preferred == nullptr ? std::string_view() : TextAt(*preferred, "groupVersion");
  if (version.empty()) return InvalidError("discovery: the group names no preferred version");
  return std::string(version);
}

Result<Resource> ResourceIn(std::string_view discovered, std::string_view kind) {
  BERTH_ASSIGN_OR_RETURN(const api::Value list, ReadOne(discovered));
  const std::string_view version = TextAt(list, "groupVersion");
  const api::Value* resources = list.Find("resources");
  if (resources != nullptr) {
    for (const api::Value& each : resources->items()) {
      const std::string_view plural = TextAt(each, "name");
      if (plural.find('/') != std::string_view::npos || api::QualifiedKind(version, TextAt(each, "kind")) != kind) {
        continue;
      }
      const api::Value* namespaced = each.Find("namespaced");
      return Resource{std::string(kind), fmt::format("/apis/{}", version), std::string(plural),
                      namespaced != nullptr && namespaced->bool_value(), /*in_protobuf=*/false};
    }
  }
  return NotFoundError(fmt::format("{} has no kind {}", version, kind));
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~';
    if (plain) {
      escaped += c;
    } else {
      fmt::format_to(std::back_inserter(escaped), "%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

}  // namespace berth::kube
