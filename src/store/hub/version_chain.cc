// SPDX-License-Identifier: Apache-2.0
#include "store/hub/version_chain.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace berth::store {

const RecordPtr& VersionChain::At(Revision revision) const {
  if (newest_ != nullptr && newest_->modified <= revision) return present();
  const auto first = older_.begin() + static_cast<std::ptrdiff_t>(dropped_);
  const auto after = std::partition_point(first, older_.end(),
                                          [&](const Version& version) { return version.record->modified <= revision; });
  if (after == first) return kNoRecord;
  const Version& version = *std::prev(after);
  return version.deleted ? kNoRecord : version.record;
}

void VersionChain::Push(RecordPtr record, bool deleted) {
  // Two states of one revision: only the second is ever visible.
  const bool replaces = newest_ != nullptr && newest_->modified == record->modified;
  if (newest_ != nullptr && !replaces) older_.push_back({std::move(newest_), deleted_});
  newest_ = std::move(record);
  deleted_ = deleted;
}

void VersionChain::ForgetBefore(Revision revision) {
  // The state at `revision` itself stays: it is the last one not newer than it.
  const auto has_successor_by_then = [&](size_t i) {
    const Record& next = i + 1 < older_.size() ? *older_[i + 1].record : *newest_;
    return next.modified <= revision;
  };
  while (dropped_ < older_.size() && has_successor_by_then(dropped_)) older_[dropped_++].record.reset();
  if (dropped_ == older_.size()) {
    std::vector<Version>().swap(older_);
    dropped_ = 0;
  } else if (dropped_ > older_.size() / 2) {
    older_.erase(older_.begin(), older_.begin() + static_cast<std::ptrdiff_t>(dropped_));
    dropped_ = 0;
  }
}

}  // namespace berth::store
