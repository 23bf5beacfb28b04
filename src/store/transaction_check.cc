// SPDX-License-Identifier: Apache-2.0
#include "store/transaction_check.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace berth::store {
namespace {

Result<void> CheckOperation(const Operation& operation, const Limits& limits) {
  if (operation.key.kind.empty() || operation.key.name.empty()) {
    return InvalidError(fmt::format("cannot write \"{}\": kind or name is empty", ToText(operation.key)));
  }
  if (operation.value.size() > limits.max_value_bytes) {
    return InvalidError(fmt::format("cannot write {}: its {} bytes are more than the {} allowed", ToText(operation.key),
                                    operation.value.size(), limits.max_value_bytes));
  }
  return {};
}

// Each object at most once: engines would differ in what writing it twice means.
Result<void> CheckDistinct(const std::vector<Operation>& operations) {
  if (operations.size() < 2) return {};
  std::vector<const Key*> keys;
  keys.reserve(operations.size());
  for (const Operation& operation : operations) keys.push_back(&operation.key);
  std::ranges::sort(keys, [](const Key* a, const Key* b) { return *a < *b; });
  const auto twice = std::ranges::adjacent_find(keys, [](const Key* a, const Key* b) { return *a == *b; });
  if (twice == keys.end()) return {};
  return InvalidError(fmt::format("cannot write {} twice in one transaction", ToText(**twice)));
}

}  // namespace

Result<void> CheckTransaction(const Transaction& transaction, const Limits& limits) {
  if (transaction.operations.size() > limits.max_operations) {
    return InvalidError(fmt::format("cannot commit {} operations at once: {} are allowed",
                                    transaction.operations.size(), limits.max_operations));
  }
  for (const Operation& operation : transaction.operations) BERTH_RETURN_IF_ERROR(CheckOperation(operation, limits));
  return CheckDistinct(transaction.operations);
}

Result<void> CheckBindings(std::span<const Binding> bindings, const Limits& limits) {
  if (bindings.size() > limits.max_operations) {
    return InvalidError(
        fmt::format("cannot bind {} pods at once: {} are allowed", bindings.size(), limits.max_operations));
  }
  for (const Binding& binding : bindings) {
    if (binding.node.empty()) return InvalidError(fmt::format("cannot bind {} to no node", ToText(binding.pod)));
  }
  return {};
}

}  // namespace berth::store
