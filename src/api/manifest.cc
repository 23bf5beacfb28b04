// SPDX-License-Identifier: Apache-2.0
#include "api/manifest.h"

#include "base/string_map.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::api {
namespace {

constexpr std::string_view kListSuffix = "List";

std::string Place(std::string_view source, Position at) { return fmt::format("{}:{}:{}", source, at.line, at.column); }

std::string_view TextOf(const Value& document, std::string_view key) {
  const Value* value = document.Find(key);
  return value != nullptr && value->is_string() ? std::string_view(value->text()) : std::string_view();
}

// Gathers objects and everything that is wrong with them.
class Collector {
 public:
  explicit Collector(std::span<const std::string> custom_kinds) : custom_kinds_(custom_kinds) {}

  void Read(Document document) { Take(std::move(document.root), document.source, {}, {}); }
  void Fail(std::string line) { errors_.push_back(std::move(line)); }

  Result<Manifests> Finish() && {
    if (errors_.empty()) return std::move(manifests_);
    constexpr size_t kMostErrors = 20;
    const size_t shown = std::min(errors_.size(), kMostErrors);
    std::string message = errors_[0];
    for (size_t i = 1; i < shown; ++i) message += "\n" + errors_[i];
    if (shown < errors_.size()) message += fmt::format("\nand {} more", errors_.size() - shown);
    return InvalidError(std::move(message));
  }

 private:
  // `kind` and `api_version` stand in for what an element of a typed list leaves out.
  void Take(Value document, const std::string& source, std::string_view api_version, std::string_view kind) {
    if (!document.is_map()) {
      Fail(fmt::format("{}: expected an object, found {}", Place(source, document.position()),
                       KindName(document.kind())));
      return;
    }
    if (document.Find("kind") == nullptr && !kind.empty()) {
      if (!api_version.empty())
        document.Set("apiVersion", Value::String(std::string(api_version), document.position()));
      document.Set("kind", Value::String(std::string(kind), document.position()));
    }
    const std::string own_kind(TextOf(document, "kind"));
    if (own_kind.empty()) {
      Fail(fmt::format("{}: kind: a kind is required", Place(source, document.position())));
    } else if (own_kind.ends_with(kListSuffix) && document.Find("items") != nullptr) {
      Unfold(std::move(document), source, own_kind);
    } else if (!IsRead(TextOf(document, "apiVersion"), own_kind)) {
      ++manifests_.ignored[own_kind];
    } else {
      Keep(std::move(document), source);
    }
  }

  bool IsRead(std::string_view api_version, std::string_view kind) const {
    return IsSchedulingKind(api_version, kind) ||
           std::ranges::find(custom_kinds_, QualifiedKind(api_version, kind)) != custom_kinds_.end();
  }

  void Unfold(Value list, const std::string& source, std::string_view list_kind) {
    const Value* items = list.Find("items");
    if (!items->is_list()) {
      if (items->is_null()) return;
      Fail(
          fmt::format("{}: items: expected list, found {}", Place(source, items->position()), KindName(items->kind())));
      return;
    }
    const std::string api_version(TextOf(list, "apiVersion"));
    const std::string_view kind = list_kind.substr(0, list_kind.size() - kListSuffix.size());
    for (Value::Member& member : list.mutable_members()) {
      if (member.key != "items") continue;
      for (Value& item : member.value.mutable_items()) {
        // Lists hold objects, never lists: this keeps the unfolding flat.
        if (TextOf(item, "kind").ends_with(kListSuffix) && item.Find("items") != nullptr) {
          Fail(fmt::format("{}: a list within a list", Place(source, item.position())));
        } else {
          Take(std::move(item), source, api_version, kind);
        }
      }
    }
  }

  void Keep(Value document, const std::string& source) {
    DecodeErrors errors;
    Object object = DecodeObject(document, custom_kinds_, errors);
    for (const DecodeError& error : errors.errors()) {
      Fail(fmt::format("{}: {}{}{}", Place(source, error.position), error.path, error.path.empty() ? "" : ": ",
                       error.message));
    }
    if (!errors.empty()) return;
    const std::string id = fmt::format("{} {}", KindOf(object), MetaOf(object).Key());
    std::string place = Place(source, document.position());
    const auto [first, fresh] = places_.emplace(id, place);
    if (!fresh) {
      Fail(fmt::format("{}: {} appears twice, first at {}", place, id, first->second));
      return;
    }
    manifests_.objects.push_back({std::move(object), std::move(document), source});
  }

  const std::span<const std::string> custom_kinds_;
  Manifests manifests_;
  std::vector<std::string> errors_;
  StringMap<std::string> places_;  // where each object was seen first
};

}  // namespace

Result<Manifests> LoadManifests(std::span<const std::string> paths) {
  Collector collector({});
  for (const std::string& path : paths) {
    Result<std::vector<Document>> documents = ReadDocumentsFromFile(path);
    if (!documents) {
      collector.Fail(documents.error().message);
      continue;
    }
    for (Document& document : *documents) collector.Read(std::move(document));
  }
  return std::move(collector).Finish();
}

Result<Manifests> ParseManifests(std::vector<Document> documents, std::vector<std::string> problems,
                                 std::span<const std::string> custom_kinds) {
  Collector collector(custom_kinds);
  for (std::string& problem : problems) collector.Fail(std::move(problem));
  for (Document& document : documents) collector.Read(std::move(document));
  return std::move(collector).Finish();
}

}  // namespace berth::api
