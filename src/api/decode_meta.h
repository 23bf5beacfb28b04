// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/meta.h"
#include "api/resources.h"

namespace berth::api {

enum class Scope : bool { Namespaced, ClusterWide };

// Reads `metadata` of the object at `object`. A name is demanded; a namespaced object without a namespace is in
// "default", a cluster-wide one has none whatever it says.
ObjectMeta DecodeMeta(FieldReader& object, Scope scope);

// Amounts by resource name, rounded up to thousandths as the API server stores them.
ResourceList DecodeResourceList(FieldReader& reader, std::string_view key);
// `requests` and `limits` of the map at `reader`.
ResourceRequirements DecodeResourceRequirements(FieldReader& reader);

}  // namespace berth::api
