// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/envelope.h"

#include "api/kinds.h"
#include "kube/proto/read_proto.h"
#include "kube/proto/scan.h"
#include "kube/proto/schema.h"

#include <utility>

#include <fmt/format.h>

namespace berth::kube::proto {
namespace {

// A message's bytes come once; two parts of one message are legal protobuf, but Kubernetes writes none.
Result<void> TakeOnce(const WireField& field, std::string_view what, std::string_view& bytes) {
  if (!field.is_bytes) return InvalidError(fmt::format("{} is not a string or a message", what));
  if (!bytes.empty()) return InvalidError(fmt::format("{} is there twice", what));
  bytes = field.bytes;
  return {};
}

// Null when Berth does not read this version of the kind: fields may differ between versions.
const Message* MessageIn(const Envelope& envelope) {
  if (envelope.kind == "Status") return envelope.api_version == "v1" ? &StatusMessage() : nullptr;
  const api::KindInfo* known = api::FindKind(envelope.kind);
  if (known == nullptr) return nullptr;
  const bool is_core = known->group.empty();
  const std::string version =
      is_core ? std::string(known->version) : fmt::format("{}/{}", known->group, known->version);
  return envelope.api_version == version ? FindMessage(envelope.kind) : nullptr;
}

}  // namespace

Result<Envelope> OpenEnvelope(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return InvalidError("not protobuf of Kubernetes: the four magic bytes are missing");
  Envelope envelope;
  std::string_view type;
  std::string_view encoding;
  std::string_view content_type;
  BERTH_RETURN_IF_ERROR(ScanFields(bytes.substr(kMagic.size()), "Unknown", [&](const WireField& field) -> Result<void> {
    switch (field.number) {
      case 1: return TakeOnce(field, "Unknown.typeMeta", type);
      case 2: return TakeOnce(field, "Unknown.raw", envelope.message);
      case 3: return TakeOnce(field, "Unknown.contentEncoding", encoding);
      case 4: return TakeOnce(field, "Unknown.contentType", content_type);
      default: return {};
    }
  }));
  BERTH_RETURN_IF_ERROR(ScanFields(type, "TypeMeta", [&](const WireField& field) -> Result<void> {
    if (field.number == 1) return TakeOnce(field, "TypeMeta.apiVersion", envelope.api_version);
    if (field.number == 2) return TakeOnce(field, "TypeMeta.kind", envelope.kind);
    return {};
  }));
  if (!encoding.empty()) return InvalidError(fmt::format("content of the encoding \"{}\"", encoding));
  if (!content_type.empty() && content_type != kContentType) {
    return InvalidError(fmt::format("content of the type \"{}\" in an envelope of protobuf", content_type));
  }
  if (envelope.message.data() == nullptr) return InvalidError("Unknown: the envelope holds no message");
  return envelope;
}

Result<api::Value> ReadObject(std::string_view enveloped) {
  BERTH_ASSIGN_OR_RETURN(const Envelope envelope, OpenEnvelope(enveloped));
  const Message* const schema = MessageIn(envelope);
  if (schema == nullptr) {
    return InvalidError(fmt::format("{} of {} is not read from protobuf", envelope.kind, envelope.api_version));
  }
  BERTH_ASSIGN_OR_RETURN(api::Value document, ReadProto(envelope.message, *schema));
  document.Set("apiVersion", api::Value::String(std::string(envelope.api_version)));
  document.Set("kind", api::Value::String(std::string(envelope.kind)));
  return document;
}

Result<ListMeta> ReadList(std::string_view message, const std::function<Result<void>(std::string_view item)>& each) {
  ListMeta meta;
  const auto read_meta = [&](const WireField& field) -> Result<void> {
    if (field.number == 2 && field.is_bytes) meta.resource_version = field.bytes;
    if (field.number == 3 && field.is_bytes) meta.continue_token = field.bytes;
    if (field.number == 4 && !field.is_bytes) meta.remaining_items = static_cast<int64_t>(field.integer);
    return {};
  };
  BERTH_RETURN_IF_ERROR(ScanFields(message, "list", [&](const WireField& field) -> Result<void> {
    if (field.number > 2) return {};
    if (!field.is_bytes) return InvalidError(fmt::format("field {} of a list is not a message", field.number));
    return field.number == 1 ? ScanFields(field.bytes, "ListMeta", read_meta) : each(field.bytes);
  }));
  return meta;
}

Result<WatchEvent> ReadWatchEvent(std::string_view frame) {
  WatchEvent event;
  std::string_view extension;
  BERTH_RETURN_IF_ERROR(ScanFields(frame, "WatchEvent", [&](const WireField& field) -> Result<void> {
    if (field.number == 1) return TakeOnce(field, "WatchEvent.type", event.type);
    if (field.number == 2) return TakeOnce(field, "WatchEvent.object", extension);
    return {};
  }));
  BERTH_RETURN_IF_ERROR(ScanFields(extension, "RawExtension", [&](const WireField& field) -> Result<void> {
    return field.number == 1 ? TakeOnce(field, "RawExtension.raw", event.object) : Result<void>();
  }));
  if (event.type.empty()) return InvalidError("WatchEvent: a type is required");
  return event;
}

}  // namespace berth::kube::proto
