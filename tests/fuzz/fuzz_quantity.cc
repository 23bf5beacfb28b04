// SPDX-License-Identifier: Apache-2.0
#include "api/quantity.h"
#include "base/check.h"

#include <cstdint>

using namespace berth::api;

// A quantity equals what its canonical text parses to.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto quantity = Quantity::Parse({reinterpret_cast<const char*>(data), size});
  if (!quantity) return 0;
  const auto again = Quantity::Parse(quantity->ToString());
  BERTH_CHECK(again.has_value() && *again == *quantity);
  const auto rounded = quantity->RoundedToMilli();
  BERTH_CHECK(rounded.MilliValue() == quantity->MilliValue() && rounded.Value() == quantity->Value());
  BERTH_CHECK(*quantity + *quantity - *quantity == *quantity);
  return 0;
}
