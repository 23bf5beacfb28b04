// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "metrics/cells.h"
#include "metrics/label_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace prometheus {
struct MetricFamily;
}

namespace berth::metrics {

// What upstream promises about a metric; its help begins with it.
enum class Stability : uint8_t { Alpha, Beta, Stable };

// One metric: its name, what it means, the names of its labels, and a cell for each set of their values. Any thread.
class Family {
 public:
  virtual ~Family() = default;
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  // What it stands at now. A metric that nothing was counted for yet has its name and type, and no samples.
  virtual prometheus::MetricFamily Collect() const = 0;

 protected:
  Family(std::vector<const Family*>& all, Stability stability, std::string_view name, std::string_view help)
      : stability_(stability), name_(name), help_(help) {
    all.push_back(this);
  }
  std::string Help() const;

  const Stability stability_;
  const std::string_view name_;
  const std::string_view help_;
};

template <typename Cell>
class FamilyOf : public Family {
 public:
  prometheus::MetricFamily Collect() const override;

 protected:
  FamilyOf(std::vector<const Family*>& all, Stability stability, std::string_view name, std::string_view help,
           std::vector<std::string_view> labels, typename Cell::Shape shape)
      : Family(all, stability, name, help), labels_(std::move(labels)), shape_(std::move(shape)) {}

  const std::vector<std::string_view> labels_;
  const typename Cell::Shape shape_;
  LabelTable<Cell> cells_{shape_};
};

// A metric with so many labels.
template <typename Cell, size_t LabelCount>
class Labelled final : public FamilyOf<Cell> {
 public:
  // Adds itself to `all`. The texts are literals. A metric without labels has its one cell from the start.
  Labelled(std::vector<const Family*>& all, Stability stability, std::string_view name, std::string_view help,
           const std::array<std::string_view, LabelCount>& labels, typename Cell::Shape shape = {})
      : FamilyOf<Cell>(all, stability, name, help, {labels.begin(), labels.end()}, std::move(shape)) {
    if constexpr (LabelCount == 0) With();
  }

  // By one value for each label, in the order of the labels.
  template <typename... Values>
  Cell& With(const Values&... values) {
    static_assert(sizeof...(values) == LabelCount);
    return this->cells_.Get(std::array<std::string_view, LabelCount>{values...});
  }
};

template <size_t LabelCount>
using CounterFamily = Labelled<Counter, LabelCount>;
template <size_t LabelCount>
using GaugeFamily = Labelled<Gauge, LabelCount>;
template <size_t LabelCount>
using HistogramFamily = Labelled<Histogram, LabelCount>;

// All of them in Prometheus' text format, in their order.
std::string TextOf(const std::vector<const Family*>& families);

}  // namespace berth::metrics
