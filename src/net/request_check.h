// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "net/http.h"

namespace berth::net {

// Whether a request can be written as it is: a line end in one of its parts would begin another header, or another
// request. The rules are those of Go's client. The error quotes no value, which may be a secret.
Result<void> CheckRequest(const Request& request);

}  // namespace berth::net
