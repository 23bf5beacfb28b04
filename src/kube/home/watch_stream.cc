// SPDX-License-Identifier: Apache-2.0
#include "kube/home/watch_stream.h"

#include "api/document.h"
#include "kube/proto/envelope.h"
#include "kube/proto/scan.h"

#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace berth::kube {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
// Longer than any object that an API server stores.
constexpr size_t kMaxLine = size_t{16} << 20U;

std::optional<WatchedEvent::Type> TypeOf(std::string_view type) {
  if (type == "ADDED" || type == "MODIFIED") return WatchedEvent::Type::Set;
  if (type == "DELETED") return WatchedEvent::Type::Deleted;
  if (type == "BOOKMARK") return WatchedEvent::Type::Bookmark;
  return std::nullopt;
}

std::string TextAt(const api::Value& map, std::string_view key) {
  const api::Value* value = map.Find(key);
  return value == nullptr ? std::string() : value->text();
}

ApiError ErrorIn(const api::Value& status) {
  ApiError error{0, TextAt(status, "reason"), TextAt(status, "message")};
  const std::string code = TextAt(status, "code");
  static_cast<void>(std::from_chars(code.data(), code.data() + code.size(), error.status));
  return error;
}

ApiError Unreadable(const Error& problem) { return {500, "InternalError", problem.message}; }

}  // namespace

Result<WatchedEvent> IdentityOf(std::string_view message, WatchedEvent::Type type) {
  WatchedEvent event;
  event.type = type;
  event.message = message;
  constexpr uint32_t kMetadata = 1;
  const auto read_meta = [&](const proto::WireField& field) -> Result<void> {
    if (!field.is_bytes) return {};
    switch (field.number) {
      case 1: event.name = field.bytes; break;
      case 3: event.namespace_ = field.bytes; break;
      case 5: event.uid = field.bytes; break;
      case 6: event.resource_version = field.bytes; break;
      case 12:  // annotations
        if (event.type == WatchedEvent::Type::Bookmark &&
            field.bytes.find(kInitialEventsEnd) != std::string_view::npos) {
          event.type = WatchedEvent::Type::InitialEnd;
        }
        break;
      default: break;
    }
    return {};
  };
  BERTH_RETURN_IF_ERROR(proto::ScanFields(message, "object", [&](const proto::WireField& field) -> Result<void> {
    return field.number == kMetadata && field.is_bytes ? proto::ScanFields(field.bytes, "ObjectMeta", read_meta)
                                                       : Result<void>();
  }));
  return event;
}

WatchedEvent IdentityOf(const api::Value& document, WatchedEvent::Type type) {
  WatchedEvent event;
  event.type = type;
  event.document = &document;
  const api::Value* meta = document.Find("metadata");
  if (meta == nullptr) return event;
  event.name = TextAt(*meta, "name");
  event.namespace_ = TextAt(*meta, "namespace");
  event.uid = TextAt(*meta, "uid");
  event.resource_version = TextAt(*meta, "resourceVersion");
  const api::Value* annotations = meta->Find("annotations");
  if (event.type == WatchedEvent::Type::Bookmark && annotations != nullptr &&
      annotations->Find(kInitialEventsEnd) != nullptr) {
    event.type = WatchedEvent::Type::InitialEnd;
  }
  return event;
}

void WatchStream::TakeHead(const net::ResponseHead& head) {
  response_.head = head;
  in_protobuf_ = head.Header("content-type").starts_with(proto::kContentType);
  if (listener_ != nullptr && response_.ok()) listener_->WatchBegan();
}

void WatchStream::TakeBody(std::string_view piece) {
  if (listener_ == nullptr || failed_) return;
  constexpr size_t kMaxRefusal = size_t{1} << 20U;
  if (!response_.ok()) {
    if (response_.body.size() < kMaxRefusal) response_.body += piece;
    return;
  }
  Result<void> taken;
  if (in_protobuf_) {
    taken = frames_.Take(piece, [this](std::string_view frame) { return TakeFrame(frame); });
  } else {
    for (size_t end = piece.find('\n'); taken && end != std::string_view::npos; end = piece.find('\n')) {
      line_ += piece.substr(0, end);
      piece.remove_prefix(end + 1);
      taken = TakeLine(std::exchange(line_, {}));
    }
    line_ += piece;
    if (taken && line_.size() > kMaxLine) taken = InvalidError("a line of the watch is too long");
  }
  if (listener_ == nullptr) return;
  if (!taken && !failed_) return Fail(Unreadable(taken.error()));
  if (!failed_) listener_->WatchPaused();
}

Result<void> WatchStream::TakeFrame(std::string_view frame) {
  if (listener_ == nullptr || failed_) return {};
  BERTH_ASSIGN_OR_RETURN(const proto::WatchEvent raw, proto::ReadWatchEvent(frame));
  if (raw.type == "ERROR") {
    const Result<api::Value> status = proto::ReadObject(raw.object);
    Fail(status ? ErrorIn(*status) : Unreadable(status.error()));
    return {};
  }
  const std::optional<WatchedEvent::Type> type = TypeOf(raw.type);
  if (!type) return {};  // a type to come
  BERTH_ASSIGN_OR_RETURN(const proto::Envelope envelope, proto::OpenEnvelope(raw.object));
  BERTH_ASSIGN_OR_RETURN(const WatchedEvent event, IdentityOf(envelope.message, *type));
  listener_->WatchTold(event);
  return {};
}

Result<void> WatchStream::TakeLine(std::string_view line) {
  if (listener_ == nullptr || failed_ || line.empty()) return {};
  BERTH_ASSIGN_OR_RETURN(const std::vector<api::Document> documents, api::ReadDocuments(line, "watch"));
  const api::Value* object = documents.size() == 1 ? documents.front().root.Find("object") : nullptr;
  if (object == nullptr) return InvalidError("a line of the watch holds no event");
  const std::string name = TextAt(documents.front().root, "type");
  if (name == "ERROR") {
    Fail(ErrorIn(*object));
    return {};
  }
  const std::optional<WatchedEvent::Type> type = TypeOf(name);
  if (!type) return {};
  listener_->WatchTold(IdentityOf(*object, *type));
  return {};
}

void WatchStream::Fail(ApiError error) {
  failed_ = true;
  if (error.message.empty()) error.message = fmt::format("the watch failed with {}", error.status);
  if (listener_ != nullptr) std::exchange(listener_, nullptr)->WatchEnded(error, std::nullopt);
}

void WatchStream::TakeEnd(net::ExchangeEnd end, const std::string& error) {
  if (listener_ == nullptr || failed_) return;
  response_.end = end;
  response_.error = error;
  WatchListener& listener = *std::exchange(listener_, nullptr);
  if (response_.ok()) return listener.WatchEnded({}, std::nullopt);
  listener.WatchEnded(ErrorOf(response_), response_.RetryAfter());
}

}  // namespace berth::kube
