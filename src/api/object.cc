// SPDX-License-Identifier: Apache-2.0
#include "api/object.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth::api {
namespace {

using Decoder = Object (*)(const Value& document, DecodeErrors& errors);

template <size_t Place>
Object DecodeAt(const Value& document, DecodeErrors& errors) {
  using T = std::remove_const_t<typename std::variant_alternative_t<Place, Object>::element_type>;
  return std::make_shared<const T>(Decode<T>(document, errors));
}

// In the order of kKinds.
constexpr auto kDecoders = []<size_t... Places>(std::index_sequence<Places...>) {
  return std::array<Decoder, sizeof...(Places)>{&DecodeAt<Places>...};
}
(std::make_index_sequence<kKinds.size()>());

std::string_view MemberText(const Value& document, std::string_view key) {
  const Value* value = document.Find(key);
  return value == nullptr ? std::string_view() : std::string_view(value->text());
}

}  // namespace

const ObjectMeta& MetaOf(const Object& object) {
  return std::visit([](const auto& pointer) -> const ObjectMeta& { return pointer->meta; }, object);
}

std::string_view KindOf(const Object& object) {
  if (const auto* custom = std::get_if<CustomObjectPtr>(&object)) return (*custom)->kind;
  return kKinds.at(object.index()).name;
}

std::string ApiVersionOf(const Object& object) {
  if (const auto* custom = std::get_if<CustomObjectPtr>(&object)) return (*custom)->api_version;
  const KindInfo& kind = kKinds.at(object.index());
  return kind.group.empty() ? std::string(kind.version) : fmt::format("{}/{}", kind.group, kind.version);
}

std::vector<std::string> SchedulingKinds() {
  std::vector<std::string> kinds;
  for (const KindInfo& kind : kKinds) kinds.emplace_back(kind.name);
  return kinds;
}

Object WithIdentity(const Object& object, std::string_view uid, std::string_view resource_version) {
  return std::visit(
      [&]<typename T>(const std::shared_ptr<const T>& typed) -> Object {
        T copy = *typed;
        if (!uid.empty()) copy.meta.uid = uid;
        copy.meta.resource_version = resource_version;
        return std::make_shared<const T>(std::move(copy));
      },
      object);
}

bool IsSchedulingKind(std::string_view kind) { return FindKind(kind) != nullptr; }

bool IsSchedulingKind(std::string_view api_version, std::string_view kind) {
  const KindInfo* known = FindKind(kind);
  return known != nullptr && (api_version.empty() || known->group == GroupOf(api_version));
}

Object DecodeObject(const Value& document, DecodeErrors& errors) {
  const Value* kind = document.Find("kind");
  const KindInfo* known = kind == nullptr ? nullptr : FindKind(kind->text());
  if (known != nullptr) return kDecoders.at(static_cast<size_t>(known - kKinds.data()))(document, errors);
  errors.Add("kind", kind != nullptr ? kind->position() : document.position(),
             kind != nullptr ? fmt::format("\"{}\" is not a kind that scheduling reads", kind->text())
                             : std::string("a kind is required"));
  return {};
}

Object DecodeObject(const Value& document, std::span<const std::string> custom_kinds, DecodeErrors& errors) {
  const std::string kind = QualifiedKind(MemberText(document, "apiVersion"), MemberText(document, "kind"));
  const bool is_custom = IsCustomKind(kind) && std::ranges::find(custom_kinds, kind) != custom_kinds.end();
  if (!is_custom) return DecodeObject(document, errors);
  return std::make_shared<const CustomObject>(DecodeCustomObject(document, errors));
}

}  // namespace berth::api
