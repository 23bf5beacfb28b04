// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "kube/access/server_address.h"

#include <string>
#include <string_view>

namespace berth::extender {

// Where one verb of an extender is served.
struct ExtenderUrl {
  std::string text;  // as in messages
  kube::ServerAddress server;
  std::string target;  // path and query, percent-encoded
};

// The prefix without slashes at its end, a slash and the verb, read as Go's client reads it. The error is the whole
// message, in that client's words where it has some.
Result<ExtenderUrl> ParseExtenderUrl(std::string_view prefix, std::string_view verb);

// How Go's client begins what it says about a request that failed.
std::string PostFailed(std::string_view url, std::string_view why);

}  // namespace berth::extender
