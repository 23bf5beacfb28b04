// SPDX-License-Identifier: Apache-2.0
#include "api/encode.h"

#include "api/encode_parts.h"

namespace berth::api {

Value Encode(const Object& object) {
  MapWriter map;
  map.Text("apiVersion", ApiVersionOf(object)).Text("kind", KindOf(object)).Put("metadata", EncodeMeta(MetaOf(object)));
  std::visit([&](const auto& pointer) { EncodeBody(*pointer, map); }, object);
  return map.Take();
}

}  // namespace berth::api
