// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::text {

// The apiVersion of every document that commands print.
inline constexpr std::string_view kReportVersion = "berth/v1alpha1";

// Building blocks of documents.
api::Value TextValue(std::string_view text);
api::Value CountValue(uint64_t count);
api::Value TextValues(const std::vector<std::string>& texts);

template <typename T, typename F>
api::Value ListOf(const std::vector<T>& all, F&& one) {
  api::Value list = api::Value::List();
  for (const T& item : all) list.Append(one(item));
  return list;
}

}  // namespace berth::text
