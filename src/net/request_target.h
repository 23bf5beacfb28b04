// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::net {

struct RequestTarget {
  std::string path = {};   // decoded
  std::string query = {};  // encoded
};

// Takes the target of a request apart: "/a%20b?c=d", or "https://host/a%20b?c=d". None: it cannot be one.
std::optional<RequestTarget> ParseTarget(std::string_view target);

// Undoes percent-encoding; `plus_is_space` as in queries. None: a percent sign without two hexadecimal digits.
std::optional<std::string> PercentDecoded(std::string_view text, bool plus_is_space = false);

// The parameters of a query, decoded, in order. Those that cannot be decoded are passed over, as Go does.
std::vector<std::pair<std::string, std::string>> QueryParameters(std::string_view query);

}  // namespace berth::net
