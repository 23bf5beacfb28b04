// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/taint.h"

namespace berth::api {

Taint DecodeTaint(FieldReader& reader);
Toleration DecodeToleration(FieldReader& reader);

}  // namespace berth::api
