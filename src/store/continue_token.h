// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "store/record.h"

#include <string>
#include <string_view>

namespace berth::store {

// Where a list continues: after this key, in the state at this revision.
struct ContinueToken {
  Revision revision = 0;
  Key after;
};

// Opaque to callers; may contain any byte, as keys may.
std::string EncodeContinueToken(const ContinueToken& token);
// Fails with Invalid when EncodeContinueToken cannot have produced the text.
Result<ContinueToken> DecodeContinueToken(std::string_view text);

}  // namespace berth::store
