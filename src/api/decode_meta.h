// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/meta.h"
#include "api/object.h"
#include "api/resources.h"

#include <cstdint>

namespace berth::api {

enum class Scope : uint8_t { Namespaced, ClusterWide, AsWritten };

// Reads `metadata` of the object at `object`. A name is demanded; a namespaced object without a namespace is in
// "default", a cluster-wide one has none whatever it says.
ObjectMeta DecodeMeta(FieldReader& object, Scope scope);

// The same for an object of type T, by the table of kinds.
template <typename T>
ObjectMeta DecodeMetaOf(FieldReader& object) {
  return DecodeMeta(object, InfoOf<T>().namespaced ? Scope::Namespaced : Scope::ClusterWide);
}

// Amounts by resource name, rounded up to thousandths as the API server stores them.
ResourceList DecodeResourceList(FieldReader& reader, std::string_view key);
// `requests` and `limits` of the map at `reader`.
ResourceRequirements DecodeResourceRequirements(FieldReader& reader);

}  // namespace berth::api
