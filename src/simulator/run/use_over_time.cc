// SPDX-License-Identifier: Apache-2.0
#include "simulator/run/use_over_time.h"

#include <algorithm>
#include <array>

namespace berth::simulator {

using framework::ResourceId;

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr size_t kMostStretches = 30;

// Round interval widths, each a multiple of the previous one.
constexpr std::array<Duration, 13> kWidths = {seconds(1),  seconds(5),   seconds(15),   minutes(1), minutes(5),
                                              minutes(15), hours(1),     hours(3),      hours(12),  hours(24),
                                              hours(168),  hours(1'680), hours(168'000)};

double Share(double part, double whole) { return whole > 0 ? part / whole : 0; }

void AddTo(std::vector<double>& sums, const std::vector<double>& more) {
  if (sums.size() < more.size()) sums.resize(more.size());
  for (size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

double At(const std::vector<double>& sums, size_t index) { return index < sums.size() ? sums[index] : 0; }

constexpr size_t kPods = 0;  // the first column; resources follow
size_t ColumnOf(ResourceId id) { return framework::IndexOf(id) + 1; }

}  // namespace

void UseOverTime::Sums::Add(const Sums& other) {
  seconds += other.seconds;
  node_seconds += other.node_seconds;
  AddTo(requested, other.requested);
  AddTo(allocatable, other.allocatable);
}

void Happenings::Add(const Happenings& other) {
  arrived += other.arrived;
  bound += other.bound;
  ended += other.ended;
  disrupted += other.disrupted;
}

UseOverTime::UseOverTime(Timestamp start, const framework::ResourceNames& names)
    : names_(names), start_(start), now_(start), stretches_(1) {}

void UseOverTime::Pass(Timestamp now) {
  while (now_ < now) {
    Weigh(std::min(now, StretchEnd()));
    if (now_ < StretchEnd()) continue;
    if (stretches_.size() == kMostStretches && step_ + 1 < kWidths.size()) Widen();
    // What happens at the boundary belongs to the next interval.
    if (now_ == StretchEnd()) stretches_.emplace_back();
  }
}

Timestamp UseOverTime::StretchEnd() const { return start_ + kWidths[step_] * static_cast<int64_t>(stretches_.size()); }

void UseOverTime::Weigh(Timestamp until) {
  const double length = std::chrono::duration<double>(until - now_).count();
  Stretch& stretch = stretches_.back();
  Sums& sums = stretch.sums;
  const size_t columns = names_.size() + 1;
  sums.requested.resize(columns);
  sums.allocatable.resize(columns);
  peaks_.resize(columns);
  sums.seconds += length;
  sums.node_seconds += static_cast<double>(use_.nodes) * length;
  const auto weigh = [&](size_t column, int64_t requested, int64_t allocatable) {
    const auto part = static_cast<double>(requested);
    const auto whole = static_cast<double>(allocatable);
    sums.requested[column] += part * length;
    sums.allocatable[column] += whole * length;
    if (Share(part, whole) > peaks_[column].share) peaks_[column] = {Share(part, whole), now_};
  };
  weigh(kPods, use_.running, use_.allowed_pods);
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto id = static_cast<ResourceId>(i);
    weigh(ColumnOf(id), use_.requested.Get(id), use_.allocatable.Get(id));
  }
  SetEnds(stretch);
  now_ = until;
}

void UseOverTime::SetEnds(Stretch& stretch) const {
  stretch.nodes = use_.nodes;
  stretch.running = use_.running;
  stretch.pending = use_.pending;
}

// Merges the intervals into ones of the next width.
void UseOverTime::Widen() {
  const auto factor = static_cast<size_t>(kWidths[step_ + 1] / kWidths[step_]);
  std::vector<Stretch> wider;
  for (size_t i = 0; i < stretches_.size(); ++i) {
    if (i % factor == 0) wider.emplace_back();
    Stretch& into = wider.back();
    const Stretch& from = stretches_[i];
    into.sums.Add(from.sums);
    into.happenings.Add(from.happenings);
    into.nodes = from.nodes;
    into.running = from.running;
    into.pending = from.pending;
  }
  stretches_ = std::move(wider);
  ++step_;
}

void UseOverTime::Describe(RunReport& report) const {
  Sums all;
  report.timeline_step = kWidths[step_];
  std::vector<Stretch> stretches = stretches_;
  // What happened exactly at the end of the run belongs to the last interval.
  if (stretches.size() > 1 && stretches.back().sums.seconds == 0) {
    stretches[stretches.size() - 2].happenings.Add(stretches.back().happenings);
    stretches.pop_back();
  }
  SetEnds(stretches.back());
  for (size_t i = 0; i < stretches.size(); ++i) {
    const Stretch& stretch = stretches[i];
    all.Add(stretch.sums);
    const auto share = [&](ResourceId id) {
      return Share(At(stretch.sums.requested, ColumnOf(id)), At(stretch.sums.allocatable, ColumnOf(id)));
    };
    report.timeline.push_back({start_ + kWidths[step_] * static_cast<int64_t>(i), static_cast<uint64_t>(stretch.nodes),
                               static_cast<uint64_t>(stretch.running), static_cast<uint64_t>(stretch.pending),
                               stretch.happenings, share(ResourceId::Cpu), share(ResourceId::Memory)});
  }
  report.node_hours = all.node_seconds / 3'600;
  const auto describe = [&](const std::string& name, size_t column) {
    const double requested = At(all.requested, column);
    const double allocatable = At(all.allocatable, column);
    if (requested == 0 && allocatable == 0) return;
    report.utilisation.push_back({name, Share(requested, allocatable), peaks_[column].share, peaks_[column].at,
                                  Share(requested, all.seconds), Share(allocatable, all.seconds)});
  };
  for (size_t i = 0; i < names_.size(); ++i) {
    const auto id = static_cast<ResourceId>(i);
    describe(names_.Name(id), ColumnOf(id));
  }
  describe("pods", kPods);
}

}  // namespace berth::simulator
