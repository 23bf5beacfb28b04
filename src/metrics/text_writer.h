// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace berth::metrics {

// Writes Prometheus' text format for numbers that nobody counts: they are looked up when they are asked for.
class TextWriter {
 public:
  struct Label {
    std::string_view name;
    std::string_view value;
  };

  // The samples that follow are of this metric. `type` is "counter" or "gauge".
  void Begin(std::string_view name, std::string_view type, std::string_view help);
  void Sample(std::initializer_list<Label> labels, double value);
  // A metric with one sample and no labels.
  void Only(std::string_view name, std::string_view type, std::string_view help, double value);

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  std::string name_;
};

}  // namespace berth::metrics
