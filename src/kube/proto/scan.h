// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>

namespace berth::kube::proto {

// One field of a message as it is on the wire.
struct WireField {
  uint32_t number = 0;
  std::string_view whole;  // with its tag
  std::string_view bytes;  // of a string or a message
  uint64_t integer = 0;    // of a number
  bool is_bytes = false;
};

// Calls `visit` for every field of a message, in the order of the wire; stops at the first error. Errors name the
// message and the byte of it where the field begins.
Result<void> ScanFields(std::string_view message, std::string_view name,
                        const std::function<Result<void>(const WireField&)>& visit);

// What is wrong with bytes that the protobuf library refused.
std::string_view WhatIsWrong(const std::exception& refusal);

}  // namespace berth::kube::proto
