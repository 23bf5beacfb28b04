// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace berth::kube {

// What this folder sees of the machine. Handed in, so that a test needs neither a home folder nor a cluster.
struct Surroundings {
  // The environment variables. HOME says where the home folder is.
  std::map<std::string, std::string, std::less<>> variables = {};
  // What relative paths given by the user refer to; absolute.
  std::string working_folder = "/";
  // The content of a file. The error says only why it cannot be read, not which file; NotFound when there is none.
  // Any thread.
  std::function<Result<std::string>(const std::string& path)> read_file = nullptr;
  // Whether someone sits at standard input: an exec plugin may ask them.
  bool stdin_is_terminal = false;

  // Empty when unset.
  std::string Variable(std::string_view name) const;
};

// Those of this process. The variables are copied: later changes are not seen.
Surroundings OfThisProcess();

// Reads a regular file or pipe of up to 64 MiB.
Result<std::string> ReadWholeFile(const std::string& path);

}  // namespace berth::kube
