// SPDX-License-Identifier: Apache-2.0
#include "metrics/process_metrics.h"

#include "metrics/process_use.h"
#include "metrics/text_writer.h"

#include <optional>
#include <string_view>
#include <utility>

namespace berth::metrics {
namespace {

void WriteUse(const ProcessUse& use, TextWriter& writer) {
  const auto write = [&](std::string_view name, std::string_view type, std::string_view help,
                         const std::optional<double>& value) {
    if (value) writer.Only(name, type, help, *value);
  };
  write("process_cpu_seconds_total", "counter", "CPU time of user and system together, in seconds.", use.cpu_seconds);
  write("process_max_fds", "gauge", "Files that may be open at once.", use.max_open_files);
  write("process_network_receive_bytes_total", "counter",
        "Bytes received, by all processes that share the network with this one.", use.received_bytes);
  write("process_network_transmit_bytes_total", "counter",
        "Bytes sent, by all processes that share the network with this one.", use.sent_bytes);
  write("process_open_fds", "gauge", "Open files.", use.open_files);
  write("process_resident_memory_bytes", "gauge", "Memory in use, in bytes.", use.resident_memory_bytes);
  write("process_start_time_seconds", "gauge", "When the process started, in seconds since 1970.",
        use.start_time_seconds);
  write("process_virtual_memory_bytes", "gauge", "Addresses in use, in bytes.", use.virtual_memory_bytes);
  write("process_virtual_memory_max_bytes", "gauge", "Addresses that may be in use, in bytes.",
        use.max_virtual_memory_bytes);
}

}  // namespace

ProcessMetrics::ProcessMetrics(BuildInfo build, std::vector<FeatureState> features, std::string proc)
    : build_(std::move(build)), features_(std::move(features)), proc_(std::move(proc)) {}

std::string ProcessMetrics::Expose() const {
  TextWriter writer;
  writer.Begin("kubernetes_build_info", "gauge", "[BETA] Always 1; its labels tell how the program was made.");
  writer.Sample({{"build_date", build_.build_date},
                 {"compiler", build_.compiler},
                 {"git_commit", build_.git_commit},
                 {"git_tree_state", build_.git_tree_state},
                 {"git_version", build_.git_version},
                 {"go_version", build_.go_version},
                 {"major", build_.major},
                 {"minor", build_.minor},
                 {"platform", build_.platform}},
                1);
  writer.Begin("kubernetes_feature_enabled", "gauge", "[BETA] Whether a feature is on (1), and its stage.");
  for (const FeatureState& feature : features_) {
    writer.Sample({{"name", feature.name}, {"stage", feature.stage}}, feature.on ? 1 : 0);
  }
  WriteUse(ReadProcessUse(proc_), writer);
  return writer.Take();
}

}  // namespace berth::metrics
