// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "config/types.h"

namespace berth::config {

Extender DecodeExtender(api::FieldReader& reader);

}  // namespace berth::config
