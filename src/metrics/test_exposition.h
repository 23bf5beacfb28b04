// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace berth::metrics {

// Prometheus' text format, read back as far as tests need it.
struct Exposition {
  struct Family {
    std::string type;
    std::string help;
  };
  std::map<std::string, Family, std::less<>> families;
  // By "name" or "name{label="value",…}", exactly as exposed.
  std::map<std::string, double, std::less<>> samples;

  // Fails the test on a line that is no part of the format.
  static Exposition Parse(const std::string& text);

  // Fails the test when there is no such sample.
  double Value(std::string_view sample) const;
  // The label names of a sample of this name, in order; fails the test when there is none.
  std::vector<std::string> LabelsOf(std::string_view name) const;
  // The values of `le` in the samples of one bucket series, in order.
  std::vector<double> BoundsOf(std::string_view histogram) const;
};

}  // namespace berth::metrics
