// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace berth::metrics {

// How a program was made, in the terms of kubernetes_build_info. What does not apply is empty.
struct BuildInfo {
  std::string major;
  std::string minor;
  std::string git_version;
  std::string git_commit;
  std::string git_tree_state;
  std::string build_date;
  std::string go_version;
  std::string compiler;
  std::string platform;
};

}  // namespace berth::metrics
