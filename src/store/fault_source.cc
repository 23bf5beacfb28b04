// SPDX-License-Identifier: Apache-2.0
#include "store/fault_source.h"

#include <algorithm>

namespace berth::store {

void FaultSource::ScriptWrites(const std::vector<Fault>& next) {
  MutexLock lock(mutex_);
  script_.insert(script_.end(), next.begin(), next.end());
}

FaultCounts FaultSource::Counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

Fault FaultSource::NextWrite() {
  MutexLock lock(mutex_);
  Fault fault = Draw(options_.slow_write, options_.late_write, options_.unavailable_write, options_.unknown_write);
  if (!script_.empty()) {
    fault = script_.front();
    script_.pop_front();
  }
  Count(fault);
  return fault;
}

Fault FaultSource::NextRead() {
  MutexLock lock(mutex_);
  const Fault fault = Draw(options_.slow_read, 0, options_.unavailable_read, 0);
  Count(fault);
  return fault;
}

Fault FaultSource::Draw(double slow, double late, double unavailable, double unknown) {
  const bool is_slow = rng_.Chance(slow);
  const bool is_late = rng_.Chance(late);
  const bool is_unavailable = rng_.Chance(unavailable);
  const bool is_unknown = rng_.Chance(unknown);
  const bool is_done = rng_.Chance(0.5);
  if (is_unknown) return is_done ? Fault::UnknownDone : Fault::UnknownUndone;
  if (is_unavailable) return Fault::Unavailable;
  if (is_late) return Fault::Late;
  return is_slow ? Fault::Slow : Fault::None;
}

void FaultSource::Count(Fault fault) {
  switch (fault) {
    case Fault::None: break;
    case Fault::Slow: ++counts_.slow; break;
    case Fault::Late: ++counts_.late; break;
    case Fault::Unavailable: ++counts_.unavailable; break;
    case Fault::UnknownDone:
    case Fault::UnknownUndone: ++counts_.unknown; break;
  }
}

Duration FaultSource::NextDelay() {
  MutexLock lock(mutex_);
  const auto longest = static_cast<uint64_t>(std::max<Duration::rep>(1, options_.delay.count()));
  return Duration(static_cast<Duration::rep>(1 + rng_.Below(longest)));
}

Revision FaultSource::NextStaleness() {
  MutexLock lock(mutex_);
  if (!rng_.Chance(options_.stale_list)) return 0;
  ++counts_.stale;
  return static_cast<Revision>(1 + rng_.Below(10));
}

Revision FaultSource::NextRepetition() {
  MutexLock lock(mutex_);
  if (!rng_.Chance(options_.repeat_watch)) return 0;
  ++counts_.repeated;
  return static_cast<Revision>(1 + rng_.Below(5));
}

FaultSource::WatchFate FaultSource::NextWord(size_t words_said) {
  MutexLock lock(mutex_);
  const bool cut = rng_.Chance(options_.cut_watch);
  const bool expire = rng_.Chance(options_.expire_watch);
  if (cut || (options_.cut_watch_after && words_said >= *options_.cut_watch_after)) return WatchFate::Cut;
  return expire ? WatchFate::Expire : WatchFate::GoOn;
}

void FaultSource::CountFate(WatchFate fate) {
  MutexLock lock(mutex_);
  if (fate == WatchFate::Cut) ++counts_.cut;
  if (fate == WatchFate::Expire) ++counts_.expired;
}

}  // namespace berth::store
