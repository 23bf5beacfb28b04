// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::serve {

inline constexpr std::string_view kAnonymous = "system:anonymous";
inline constexpr std::string_view kAllAuthenticated = "system:authenticated";
inline constexpr std::string_view kAllUnauthenticated = "system:unauthenticated";

// Who sends a request, in Kubernetes' terms.
struct User {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

}  // namespace berth::serve
