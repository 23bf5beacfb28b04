// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string_view>

namespace berth::simulator {

// The map under this key of a document, created when absent.
api::Value& MapIn(api::Value& document, std::string_view key);

}  // namespace berth::simulator
