// SPDX-License-Identifier: Apache-2.0
#include "support/fault_source.h"

namespace berth::test {

using store::Revision;

void FaultSource::Set(const Faults& faults) {
  MutexLock lock(mutex_);
  faults_ = faults;
}

void FaultSource::ScriptWrites(const std::vector<Fault>& next) {
  MutexLock lock(mutex_);
  script_.insert(script_.end(), next.begin(), next.end());
}

FaultCounts FaultSource::counts() const {
  MutexLock lock(mutex_);
  return counts_;
}

bool FaultSource::Strikes(uint64_t one_in) {
  const uint64_t drawn = rng_.Next();
  return one_in != 0 && drawn % one_in == 0;
}

bool FaultSource::Counted(bool happens, size_t& count) {
  if (happens) ++count;
  return happens;
}

FaultSource::Fate FaultSource::NextWrite() {
  MutexLock lock(mutex_);
  Fate fate;
  fate.slow_request = Strikes(faults_.slow_request);
  fate.slow_answer = Strikes(faults_.slow_answer);
  const bool is_unavailable = Strikes(faults_.unavailable_write);
  const bool loses_request = Strikes(faults_.lost_request);
  const bool loses_answer = Strikes(faults_.lost_answer);
  if (!script_.empty()) {
    const Fault scripted = script_.front();
    script_.pop_front();
    fate = {scripted, scripted == Fault::SlowRequest, scripted == Fault::SlowAnswer};
    if (fate.slow_request || fate.slow_answer) fate.fault = Fault::None;
  } else if (is_unavailable) {
    fate.fault = Fault::Unavailable;
  } else if (loses_request) {
    fate.fault = Fault::LostRequest;
  } else if (loses_answer) {
    fate.fault = Fault::LostAnswer;
  }
  Counted(fate.slow_request, counts_.slow);
  Counted(fate.slow_answer, counts_.slow);
  Counted(fate.fault == Fault::Unavailable, counts_.unavailable);
  Counted(fate.fault == Fault::LostRequest || fate.fault == Fault::LostAnswer, counts_.unknown);
  return fate;
}

FaultSource::Fate FaultSource::NextRead() {
  MutexLock lock(mutex_);
  Fate fate;
  fate.slow_request = Counted(Strikes(faults_.slow_read), counts_.slow);
  if (Counted(Strikes(faults_.unavailable_read), counts_.unavailable)) fate.fault = Fault::Unavailable;
  return fate;
}

Duration FaultSource::delay() const {
  MutexLock lock(mutex_);
  return faults_.delay;
}

Revision FaultSource::NextStaleness() {
  MutexLock lock(mutex_);
  if (!Counted(Strikes(faults_.stale_list), counts_.bad_lists)) return 0;
  return static_cast<Revision>(1 + rng_.Below(10));
}

bool FaultSource::NextIsOutdated() {
  MutexLock lock(mutex_);
  return Counted(Strikes(faults_.outdated_list), counts_.bad_lists);
}

bool FaultSource::NextIsUnderstated() {
  MutexLock lock(mutex_);
  return Counted(Strikes(faults_.understated_list), counts_.bad_lists);
}

Revision FaultSource::NextEarliness() {
  MutexLock lock(mutex_);
  if (!Counted(Strikes(faults_.early_watch), counts_.repeated)) return 0;
  return static_cast<Revision>(1 + rng_.Below(5));
}

WatchFault FaultSource::NextItem(size_t items_told) {
  size_t batches_told = 0;
  {
    MutexLock lock(mutex_);
    if (!watch_plan_) return ItemByChance(items_told);
    batches_told = batches_told_;
  }
  return watch_plan_(batches_told);
}

WatchFault FaultSource::ItemByChance(size_t items_told) {
  const bool is_cut = Strikes(faults_.cut_watch);
  const bool expires = Strikes(faults_.expire_watch);
  const bool repeats = Strikes(faults_.repeated_batch);
  if (is_cut || (faults_.cut_watch_after && items_told >= *faults_.cut_watch_after)) return WatchFault::Cut;
  if (expires) return WatchFault::Expire;
  return repeats ? WatchFault::RepeatLast : WatchFault::None;
}

void FaultSource::BatchTold() {
  MutexLock lock(mutex_);
  ++batches_told_;
}

void FaultSource::CountWatchFault(WatchFault fault) {
  MutexLock lock(mutex_);
  switch (fault) {
    case WatchFault::None: break;
    case WatchFault::Cut: ++counts_.cut; break;
    case WatchFault::Expire: ++counts_.expired; break;
    case WatchFault::RepeatLast: ++counts_.repeated; break;
    case WatchFault::Mix: ++counts_.mixed; break;
  }
}

}  // namespace berth::test
