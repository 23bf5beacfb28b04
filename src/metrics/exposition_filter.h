// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {

// Leaves metrics out of an exposition, and replaces values of labels: what kube-scheduler's --disabled-metrics and
// --allow-metric-labels ask for. Immutable: any thread.
class ExpositionFilter {
 public:
  ExpositionFilter() = default;  // changes nothing
  // `allowed` maps "metric,label" to the values it may have, "value,value". All others become "unexpected", and samples
  // that are then of the same series are added up.
  ExpositionFilter(const std::vector<std::string>& disabled, const std::map<std::string, std::string>& allowed);

  // In Prometheus' text format, as it comes from Expose.
  std::string Apply(std::string text) const;

 private:
  using Allowed = std::map<std::string, std::set<std::string, std::less<>>, std::less<>>;  // by label

  // The series of a sample, with the values that its labels may have.
  static std::string Constrained(std::string_view sample, const Allowed& allowed);

  std::set<std::string, std::less<>> disabled_;
  std::map<std::string, Allowed, std::less<>> allowed_;  // by metric
};

}  // namespace berth::metrics
