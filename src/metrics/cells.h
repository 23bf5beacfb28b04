// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

// The numbers themselves. Any thread counts and reads them; nothing is locked, and no order is promised between two of
// them. The library's own histogram takes a mutex for each observation, which is why it is not used.
namespace berth::metrics {

// Only ever grows.
class Counter {
 public:
  struct Shape {};
  explicit Counter(const Shape& /*shape*/) {}

  void Increment(uint64_t by = 1) { value_.fetch_add(by, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_ = 0;
};

// How many there are now.
class Gauge {
 public:
  struct Shape {};
  explicit Gauge(const Shape& /*shape*/) {}

  void Set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  void Add(int64_t delta) { value_.fetch_add(delta, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_ = 0;
};

// The upper bounds of a histogram's buckets, each included in its bucket, and how many observed units make one of the
// exposed unit: durations are observed in nanoseconds and exposed in seconds.
struct Buckets {
  static constexpr size_t kMost = 20;
  std::vector<double> bounds;  // ascending, at most kMost
  double units_per_exposed = 1;
};

// `count` bounds from `start` on, each `factor` times the one before.
Buckets SecondsBuckets(double start, double factor, size_t count);
Buckets CountBuckets(double start, double factor, size_t count);

class Histogram {
 public:
  using Shape = Buckets;
  explicit Histogram(const Shape& shape) : shape_(&shape) {}

  // `times` equal observations.
  void Observe(int64_t units, uint64_t times = 1) {
    const double value = static_cast<double>(units) / shape_->units_per_exposed;
    size_t bucket = 0;  // most observations belong into the first few, so a search would only be slower
    while (bucket < shape_->bounds.size() && value > shape_->bounds[bucket]) ++bucket;
    counts_[bucket].fetch_add(times, std::memory_order_relaxed);
    sum_.fetch_add(units * static_cast<int64_t>(times), std::memory_order_relaxed);
  }

  const Shape& shape() const { return *shape_; }
  // Observations in one bucket alone; the bucket after the last bound holds the rest.
  uint64_t count(size_t bucket) const { return counts_[bucket].load(std::memory_order_relaxed); }
  double sum() const { return static_cast<double>(sum_.load(std::memory_order_relaxed)) / shape_->units_per_exposed; }

 private:
  const Shape* shape_;  // its family's
  std::array<std::atomic<uint64_t>, Buckets::kMost + 1> counts_ = {};
  std::atomic<int64_t> sum_ = 0;
};

}  // namespace berth::metrics
