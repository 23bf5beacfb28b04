// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/status.h"
#include "metrics/scheduler_metrics.h"
#include "metrics/stopwatch.h"

#include <string_view>
#include <type_traits>

namespace berth::runtime {

inline framework::Code CodeOf(const framework::Status& status) { return status.code(); }
template <typename Result>
framework::Code CodeOf(const Result& result) {
  return result.status.code();
}

// Runs `call` and hands its code and how long it took to `observe`. What cannot fail counts as a success.
template <typename Call, typename Observe>
auto Timed(const Call& call, const Observe& observe) {
  const metrics::Stopwatch watch;
  if constexpr (std::is_void_v<std::invoke_result_t<const Call&>>) {
    call();
    observe(framework::Code::Success, watch.Elapsed());
  } else {
    auto result = call();
    observe(CodeOf(result), watch.Elapsed());
    return result;
  }
}

// Calls the plugins of one step. Only some cycles are timed: looking at the clock twice for each plugin is not free.
class PluginMeter {
 public:
  // `metrics` is null when this cycle is not timed.
  PluginMeter(metrics::SchedulerMetrics* metrics, std::string_view point) : metrics_(metrics), point_(point) {}

  // What `call` returns: a Status, a struct with one, or nothing.
  template <typename Call>
  auto Run(std::string_view plugin, const Call& call) const {
    if (metrics_ == nullptr) return call();
    return Timed(call, [&](framework::Code code, Duration took) { Took(plugin, code, took); });
  }
  // For whoever measures by itself.
  void Took(std::string_view plugin, framework::Code code, Duration took) const {
    if (metrics_ != nullptr) metrics_->PluginRun(plugin, point_, CodeName(code), took);
  }
  // The same, and counts that the plugin had its say, unless it skipped; `evaluations` may be null.
  template <typename Call>
  auto Run(std::string_view plugin, metrics::Counter* evaluations, const Call& call) const {
    auto result = Run(plugin, call);
    if (evaluations != nullptr && CodeOf(result) != framework::Code::Skip) evaluations->Increment();
    return result;
  }

 private:
  metrics::SchedulerMetrics* metrics_;
  std::string_view point_;
};

}  // namespace berth::runtime
