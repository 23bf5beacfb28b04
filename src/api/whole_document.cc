// SPDX-License-Identifier: Apache-2.0
#include "api/whole_document.h"

#include "api/document.h"
#include "api/encode.h"

#include <utility>

namespace berth::api {
namespace {

template <typename T>
std::shared_ptr<const std::string> DocumentOf(const std::shared_ptr<const T>& object) {
  if (object->document != nullptr) return object->document;
  return std::make_shared<const std::string>(ToJson(Encode(object)));
}

void AppendMember(std::string& out, std::string_view key, const std::string& value) {
  if (out.size() > 1) out += ',';
  out += ToJson(Value::String(std::string(key)));
  out += ':';
  out += value;
}

std::string WithoutManagedFields(const Value& meta) {
  if (!meta.is_map()) return ToJson(meta);
  std::string out = "{";
  for (const Value::Member& member : meta.members()) {
    if (member.key != "managedFields") AppendMember(out, member.key, ToJson(member.value));
  }
  return out + "}";
}

}  // namespace

bool KeptDocuments::OfSome(std::string_view kind) const {
  if (kind == KindOf<Node>()) return nodes;
  return kind == KindOf<Pod>() && (waiting_pods || placed_pods);
}

std::shared_ptr<const std::string> TextToKeep(const Value& document) {
  std::string out = "{";
  for (const Value::Member& member : document.members()) {
    AppendMember(out, member.key, member.key == "metadata" ? WithoutManagedFields(member.value) : ToJson(member.value));
  }
  out += '}';
  return std::make_shared<const std::string>(std::move(out));
}

std::shared_ptr<const std::string> WholeDocument(const PodPtr& pod) { return DocumentOf(pod); }
std::shared_ptr<const std::string> WholeDocument(const NodePtr& node) { return DocumentOf(node); }

}  // namespace berth::api
