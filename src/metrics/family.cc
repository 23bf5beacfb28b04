// SPDX-License-Identifier: Apache-2.0
#include "metrics/family.h"

#include <limits>
#include <prometheus/client_metric.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace berth::metrics {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

namespace {

MetricType TypeOf(const Counter* /*tag*/) { return MetricType::Counter; }
MetricType TypeOf(const Gauge* /*tag*/) { return MetricType::Gauge; }
MetricType TypeOf(const Histogram* /*tag*/) { return MetricType::Histogram; }

void Read(const Counter& counter, ClientMetric& metric) { metric.counter.value = static_cast<double>(counter.value()); }

void Read(const Gauge& gauge, ClientMetric& metric) { metric.gauge.value = static_cast<double>(gauge.value()); }

// Counting goes on meanwhile. The total is made of the buckets as they were read, so that the two always agree.
void Read(const Histogram& histogram, ClientMetric& metric) {
  const std::vector<double>& bounds = histogram.shape().bounds;
  uint64_t total = 0;
  for (size_t i = 0; i <= bounds.size(); ++i) {
    total += histogram.count(i);
    metric.histogram.bucket.push_back({total, i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity()});
  }
  metric.histogram.sample_count = total;
  metric.histogram.sample_sum = histogram.sum();
}

}  // namespace

std::string Family::Help() const {
  std::string help = stability_ == Stability::Stable ? "[STABLE] "
                     : stability_ == Stability::Beta ? "[BETA] "
                                                     : "[ALPHA] ";
  return help.append(help_);
}

template <typename Cell>
MetricFamily FamilyOf<Cell>::Collect() const {
  MetricFamily family{std::string(name_), Help(), TypeOf(static_cast<const Cell*>(nullptr)), {}};
  cells_.ForEach([&](const std::vector<std::string>& values, const Cell& cell) {
    ClientMetric& metric = family.metric.emplace_back();
    for (size_t i = 0; i < values.size(); ++i) metric.label.push_back({std::string(labels_[i]), values[i]});
    Read(cell, metric);
  });
  return family;
}

template class FamilyOf<Counter>;
template class FamilyOf<Gauge>;
template class FamilyOf<Histogram>;

std::string TextOf(const std::vector<const Family*>& families) {
  std::vector<MetricFamily> collected;
  collected.reserve(families.size());
  for (const Family* family : families) collected.push_back(family->Collect());
  return prometheus::TextSerializer().Serialize(collected);
}

}  // namespace berth::metrics
