// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "store/store.h"

#include <span>

namespace berth::store {

// Fails with Invalid if the request could not succeed in any state of the store. Examines only the request: no lock.
Result<void> CheckTransaction(const Transaction& transaction, const Limits& limits);
Result<void> CheckBindings(std::span<const Binding> bindings, const Limits& limits);

}  // namespace berth::store
