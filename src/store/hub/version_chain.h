// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/record.h"

#include <cstddef>
#include <vector>

namespace berth::store {

// Stands for an object that is not there.
inline const RecordPtr kNoRecord;

// What is known of one key: its latest state and the earlier ones that the history still reaches. One thread at a time.
class VersionChain {
 public:
  // The present state; null when the key has none.
  const RecordPtr& present() const { return deleted_ ? kNoRecord : newest_; }
  // The state at `revision`, which the history must still reach; null when the key had none.
  const RecordPtr& At(Revision revision) const;

  // The record of the latest state, which may be a deletion; null only before the first.
  const Record* newest() const { return newest_.get(); }

  // Appends a state. A deletion is a state, too: it holds the last record, stamped with the deletion's revision.
  void Push(RecordPtr record, bool deleted);
  // Drops what only readers of revisions before `revision` could ask for.
  void ForgetBefore(Revision revision);
  // Says whether the key has no state at all, so that nobody would miss the chain.
  bool Forgotten(Revision floor) const { return deleted_ && newest_->modified <= floor; }

 private:
  struct Version {
    RecordPtr record;
    bool deleted = false;
  };

  RecordPtr newest_;
  bool deleted_ = false;
  size_t dropped_ = 0;  // of older_, whose front is given up in bulk so that dropping one costs no shift
  std::vector<Version> older_;
};

}  // namespace berth::store
