// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "store/store.h"

#include <span>

namespace berth::store {

// What no state of the store could make succeed: Invalid, with the reason. Looks at nothing but the request, so it
// needs no lock.
Result<void> CheckTransaction(const Transaction& transaction, const Limits& limits);
Result<void> CheckBindings(std::span<const Binding> bindings, const Limits& limits);

}  // namespace berth::store
