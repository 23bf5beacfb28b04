// SPDX-License-Identifier: Apache-2.0
#include "serve/router.h"

#include "base/check.h"

#include <utility>

namespace berth::serve {

void Router::Add(Route route) {
  BERTH_CHECK(route.path.starts_with('/'));
  std::string path = route.path;
  BERTH_CHECK(routes_.emplace(std::move(path), std::move(route)).second);
}

const Route* Router::Find(std::string_view path) const {
  if (const auto exact = routes_.find(path); exact != routes_.end()) return &exact->second;
  for (size_t slash = path.rfind('/'); slash != std::string_view::npos; slash = path.rfind('/', slash - 1)) {
    if (const auto folder = routes_.find(path.substr(0, slash + 1)); folder != routes_.end()) return &folder->second;
    if (slash == 0) break;
  }
  return nullptr;
}

std::vector<std::string> Router::Listed() const {
  std::vector<std::string> paths;
  for (const auto& [path, route] : routes_) {
    if (route.listed) paths.push_back(path);
  }
  return paths;
}

}  // namespace berth::serve
