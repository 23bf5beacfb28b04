// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace berth::metrics {

// What a process uses and may use. What the system does not tell is absent.
struct ProcessUse {
  std::optional<double> cpu_seconds;
  std::optional<double> start_time_seconds;  // since 1970
  std::optional<double> virtual_memory_bytes;
  std::optional<double> resident_memory_bytes;
  std::optional<double> max_virtual_memory_bytes;
  std::optional<double> open_files;
  std::optional<double> max_open_files;
  std::optional<double> received_bytes;  // by all processes that share the network
  std::optional<double> sent_bytes;
};

// Of this process; `proc` is where procfs is mounted.
ProcessUse ReadProcessUse(const std::string& proc);

}  // namespace berth::metrics
