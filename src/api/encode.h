// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "api/value.h"

namespace berth::api {

// The object as a document, with what scheduling reads of it: decoding the document gives the object back.
Value Encode(const Object& object);

}  // namespace berth::api
