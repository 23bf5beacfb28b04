// SPDX-License-Identifier: Apache-2.0
#include "text/report_values.h"

#include <fmt/format.h>

namespace berth::text {

using api::Value;

Value TextValue(std::string_view text) { return Value::String(std::string(text)); }

Value CountValue(uint64_t count) { return Value::Number(Value::Kind::Int, fmt::format("{}", count)); }

Value TextValues(const std::vector<std::string>& texts) {
  return ListOf(texts, [](const std::string& text) { return TextValue(text); });
}

}  // namespace berth::text
