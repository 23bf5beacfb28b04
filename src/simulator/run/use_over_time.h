// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/resource.h"
#include "simulator/run/run_report.h"

#include <vector>

namespace berth::simulator {

// What is requested and what there is, at one moment.
struct ClusterUse {
  framework::ResourceAmounts requested;
  framework::ResourceAmounts allocatable;
  int64_t running = 0;
  int64_t pending = 0;
  int64_t nodes = 0;
  int64_t allowed_pods = 0;
};

// Sums up a run as it goes: averages and peaks over all of it, and a timeline of few stretches that grow with it.
class UseOverTime {
 public:
  // The names outlive this.
  UseOverTime(Timestamp start, const framework::ResourceNames& names);

  // Until `now` the use was as it is. To be called before it changes.
  void Pass(Timestamp now);
  ClusterUse& use() { return use_; }
  // Of the stretch that goes on.
  Happenings& happenings() { return stretches_.back().happenings; }

  // Writes utilisation, node hours and timeline. Pass has been called for the end.
  void Describe(RunReport& report) const;

 private:
  // Amounts by resource, weighed with seconds; the last is pods.
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
  size_t step_ = 0;  // index of the width of a stretch
  std::vector<Stretch> stretches_;
};

}  // namespace berth::simulator
