// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::kube {

// Whom the server shall take us for.
struct Impersonated {
  std::string user = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

// The headers that ask for it, names in lower case. Keys of `extra` are percent-encoded where a header name needs it.
std::vector<std::pair<std::string, std::string>> ImpersonationHeaders(const Impersonated& whom);

}  // namespace berth::kube
