// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "store/record.h"

#include <string>
#include <string_view>

namespace berth::store {

// Where a list goes on: after this key, in the state of this revision.
struct ContinueToken {
  Revision revision = 0;
  Key after;
};

// Opaque to callers; may hold any byte, as keys may.
std::string EncodeContinueToken(const ContinueToken& token);
// Invalid when the text is not one that EncodeContinueToken makes.
Result<ContinueToken> DecodeContinueToken(std::string_view text);

}  // namespace berth::store
