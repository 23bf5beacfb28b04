// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/bench_text.h"

#include "text/table.h"

#include <fmt/format.h>

namespace berth::plugin_check {

std::string NanosecondsText(double nanoseconds) {
  if (nanoseconds < 1e3) return fmt::format("{:.1f} ns", nanoseconds);
  if (nanoseconds < 1e6) return fmt::format("{:.2f} µs", nanoseconds / 1e3);
  return fmt::format("{:.2f} ms", nanoseconds / 1e6);
}

std::string BenchText(std::span<const MeasuredPlugin> plugins, const text::Style& style) {
  text::Table table({"PLUGIN", "STEP", "FORM", "CALLED BY", "PER POD", "PER NODE"});
  table.AlignRight(4);
  table.AlignRight(5);
  for (const MeasuredPlugin& plugin : plugins) {
    for (const Cost& cost : plugin.costs) {
      table.Add({{plugin.name},
                 {std::string(cost.step)},
                 {cost.form.empty() ? "-" : std::string(cost.form)},
                 {std::string(cost.by)},
                 {NanosecondsText(cost.per_call)},
                 {cost.per_node == 0 ? "-" : NanosecondsText(cost.per_node)}});
    }
  }
  return table.ToText(style.paint);
}

}  // namespace berth::plugin_check
