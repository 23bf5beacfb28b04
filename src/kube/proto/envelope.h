// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

// What Kubernetes wraps around objects in protobuf. Views point into the bytes that were handed in.
namespace berth::kube::proto {

inline constexpr std::string_view kContentType = "application/vnd.kubernetes.protobuf";
// Every envelope begins with these four bytes.
inline constexpr std::string_view kMagic("k8s\0", 4);

// The envelope of an object, a list or a Status: four magic bytes, its type, its message.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view message;
};
Result<Envelope> OpenEnvelope(std::string_view bytes);

// The document of an enveloped object with apiVersion and kind: one of a kind that Berth has a type for, or a Status.
Result<api::Value> ReadObject(std::string_view enveloped);

// What a list says of itself.
struct ListMeta {
  std::string resource_version;
  std::string continue_token;  // empty on the last page
  std::optional<int64_t> remaining_items;
};
// Reads the message of a list and calls `each` for the message of every item, in order; stops at its first error. Items
// have no envelope: they are of the list's kind.
Result<ListMeta> ReadList(std::string_view message, const std::function<Result<void>(std::string_view item)>& each);

// One event of a watch. The object is enveloped.
struct WatchEvent {
  std::string_view type;  // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
  std::string_view object;
};
Result<WatchEvent> ReadWatchEvent(std::string_view frame);

}  // namespace berth::kube::proto
