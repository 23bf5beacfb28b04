// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"
#include "kube/proto/schema.h"

#include <cstddef>
#include <string_view>

namespace berth::kube::proto {

// How deep messages may be nested; those of Kubernetes that Berth reads are less than half as deep.
inline constexpr size_t kMaxDepth = 32;

// Reads a message, without its envelope, as the document that the same object has in JSON, with the fields that
// `schema` names: the decoders of api read both alike. What is zero and means nothing is left out. Text that is not
// UTF-8 is repaired as Go does for JSON. Errors name the field and the byte where it begins.
Result<api::Value> ReadProto(std::string_view bytes, const Message& schema);

}  // namespace berth::kube::proto
