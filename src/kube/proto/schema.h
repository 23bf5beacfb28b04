// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace berth::kube::proto {

struct Message;

// How a field is written on the wire, and what it becomes in a document.
enum class FieldType : uint8_t {
  String,
  Bool,
  Int32,
  Int64,
  Submessage,
  Inline,    // a message whose members are part of the enclosing map: what Go embeds
  Quantity,  // a message that holds the text of a quantity
  Time,      // a message with seconds since 1970, empty when there is no time; RFC 3339 in documents
};

enum class FieldShape : uint8_t {
  Plain,     // Kubernetes writes zeros, too: they mean the same as no field
  Optional,  // a pointer in Go: zero differs from nothing
  List,
  Map,  // by text
};

struct Field {
  uint32_t number;
  FieldType type;
  FieldShape shape;
  std::string_view name;             // of the member in JSON
  const Message* message = nullptr;  // of a Submessage or Inline field
};

// A message of Kubernetes' API with the fields that decoding reads; all others are skipped.
struct Message {
  std::string_view name;
  std::span<const Field> fields;  // by ascending number
};

// The message of a kind with the given Kubernetes name; null when Berth has no type for the kind.
const Message* FindMessage(std::string_view kind);

template <typename T>
const Message& MessageOf() {
  return *FindMessage(api::KindOf<T>());
}

// A pod without its spec, except spec.nodeName: for pods whose spec is known already.
const Message& PodApartFromSpec();

// meta/v1 Status: what an API server answers when it refuses a request, or ends a watch.
const Message& StatusMessage();

}  // namespace berth::kube::proto
