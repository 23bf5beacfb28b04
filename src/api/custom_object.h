// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/meta.h"
#include "api/value.h"

#include <memory>
#include <string>

namespace berth::api {

// An object of a kind that Berth has no type for, such as a custom resource. Whether its kind is namespaced is not
// known: it has the namespace it says it has.
struct CustomObject {
  ObjectMeta meta;          // right also where the document says otherwise: its store gives uids and versions
  std::string kind;         // "Tenant.example.com"
  std::string api_version;  // "example.com/v1"
  std::shared_ptr<const Value> document;  // all of it; never null
};

using CustomObjectPtr = std::shared_ptr<const CustomObject>;

// Reads `metadata` and keeps the rest as it is. The document's API version must name a group.
CustomObject DecodeCustomObject(Value document, DecodeErrors& errors);

}  // namespace berth::api
