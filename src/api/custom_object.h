// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/meta.h"
#include "api/value.h"

#include <memory>
#include <string>

namespace berth::api {

// An object of a kind that Berth has no type for, such as a custom resource. Whether the kind is namespaced is unknown:
// the object is in the namespace that its document names, if any.
struct CustomObject {
  ObjectMeta meta;                        // takes precedence over the document: the store assigns uid and version
  std::string kind;                       // "Tenant.example.com"
  std::string api_version;                // "example.com/v1"
  std::shared_ptr<const Value> document;  // complete; never null
};

using CustomObjectPtr = std::shared_ptr<const CustomObject>;

// Decodes `metadata` and keeps the whole document. The document's API version must have a group.
CustomObject DecodeCustomObject(Value document, DecodeErrors& errors);

}  // namespace berth::api
