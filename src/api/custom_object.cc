// SPDX-License-Identifier: Apache-2.0
#include "api/custom_object.h"

#include "api/decode_meta.h"
#include "api/kinds.h"

#include <utility>

namespace berth::api {

CustomObject DecodeCustomObject(Value document, DecodeErrors& errors) {
  FieldReader reader(document, "", errors);
  CustomObject object;
  object.meta = DecodeMeta(reader, Scope::AsWritten);
  object.api_version = reader.String("apiVersion");
  object.kind = QualifiedKind(object.api_version, reader.String("kind"));
  if (errors.empty() && !IsCustomKind(object.kind))
    reader.Fail("apiVersion", "a group is required, as in \"example.com/v1\"");
  object.document = std::make_shared<const Value>(std::move(document));
  return object;
}

}  // namespace berth::api
