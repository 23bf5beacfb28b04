// SPDX-License-Identifier: Apache-2.0
#include "api/encode.h"

#include "api/encode_parts.h"

namespace berth::api {

Value Encode(const Object& object) {
  if (const auto* custom = std::get_if<CustomObjectPtr>(&object)) {
    Value document = *(*custom)->document;
    document.Set("metadata", EncodeMeta((*custom)->meta));
    return document;
  }
  MapWriter map;
  map.Text("apiVersion", ApiVersionOf(object)).Text("kind", KindOf(object)).Put("metadata", EncodeMeta(MetaOf(object)));
  std::visit(
      [&]<typename T>(const std::shared_ptr<const T>& pointer) {
        if constexpr (!std::is_same_v<T, CustomObject>) EncodeBody(*pointer, map);
      },
      object);
  return map.Take();
}

}  // namespace berth::api
