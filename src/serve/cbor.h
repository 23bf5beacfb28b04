// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>

namespace berth::serve {

// A document as API servers write it in CBOR: marked as such, its texts as byte strings. Numbers that are not whole are
// written as texts; no document here has any.
std::string ToCbor(const api::Value& value);

}  // namespace berth::serve
