// SPDX-License-Identifier: Apache-2.0
#include "metrics/cells.h"

#include "base/check.h"

namespace berth::metrics {
namespace {

// One multiplication after the other, which rounds as upstream's bounds are rounded.
std::vector<double> Exponential(double start, double factor, size_t count) {
  BERTH_CHECK(start > 0 && factor > 1 && count <= Buckets::kMost);
  std::vector<double> bounds(count);
  for (double& bound : bounds) {
    bound = start;
    start *= factor;
  }
  return bounds;
}

}  // namespace

Buckets SecondsBuckets(double start, double factor, size_t count) { return {Exponential(start, factor, count), 1e9}; }

Buckets CountBuckets(double start, double factor, size_t count) { return {Exponential(start, factor, count), 1}; }

}  // namespace berth::metrics
