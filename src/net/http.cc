// SPDX-License-Identifier: Apache-2.0
#include "net/http.h"

namespace berth::net {

std::string_view ResponseHead::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace berth::net
