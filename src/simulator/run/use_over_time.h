// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/resource.h"
#include "simulator/run/run_report.h"

#include <vector>

namespace berth::simulator {

// What is requested and allocatable at one moment.
struct ClusterUse {
  framework::ResourceAmounts requested;
  framework::ResourceAmounts allocatable;
  int64_t running = 0;
  int64_t pending = 0;
  int64_t nodes = 0;
  int64_t allowed_pods = 0;
};

// Accumulates a run's usage: averages and peaks over the whole run, and a timeline of a bounded number of intervals
// that widen as the run gets longer.
class UseOverTime {
 public:
  // The names must outlive this object.
  UseOverTime(Timestamp start, const framework::ResourceNames& names);

  // Accounts for the current usage up to `now`. Call it before changing the usage.
  void Pass(Timestamp now);
  ClusterUse& use() { return use_; }
  // Of the current interval.
  Happenings& happenings() { return stretches_.back().happenings; }

  // Writes utilisation, node hours and timeline. Pass must have been called for the end of the run.
  void Describe(RunReport& report) const;

 private:
  // Amounts weighted by seconds: pods first, then resources.
  struct Sums {
    double seconds = 0;
    double node_seconds = 0;
    std::vector<double> requested;
    std::vector<double> allocatable;
    void Add(const Sums& other);
  };
  struct Stretch {
    Sums sums;
    Happenings happenings;
    int64_t nodes = 0;
    int64_t running = 0;
    int64_t pending = 0;
  };
  struct Peak {
    double share = 0;
    Timestamp at;
  };

  Timestamp StretchEnd() const;
  void Weigh(Timestamp until);
  void SetEnds(Stretch& stretch) const;
  void Widen();

  const framework::ResourceNames& names_;
  const Timestamp start_;
  Timestamp now_;
  ClusterUse use_;
  std::vector<Peak> peaks_;
  size_t step_ = 0;  // index of the interval width
  std::vector<Stretch> stretches_;
};

}  // namespace berth::simulator
