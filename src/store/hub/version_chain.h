// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/record.h"

#include <cstddef>
#include <vector>

namespace berth::store {

// Stands for an absent object.
inline const RecordPtr kNoRecord;

// The states of one key: the latest, and the earlier ones the history still covers. One thread at a time.
class VersionChain {
 public:
  // The current state; null when the key has none.
  const RecordPtr& present() const { return deleted_ ? kNoRecord : newest_; }
  // The state at `revision`, which the history must still cover; null when the key had none.
  const RecordPtr& At(Revision revision) const;

  // The record of the latest state, which may be a deletion; null only before the first.
  const Record* newest() const { return newest_.get(); }

  // Appends a state. A deletion is a state, too: it holds the last record, stamped with the deletion's revision.
  void Push(RecordPtr record, bool deleted);
  // Drops states visible only before `revision`.
  void ForgetBefore(Revision revision);
  // Returns whether no state remains visible from `floor` on, so that the chain can go.
  bool Forgotten(Revision floor) const { return deleted_ && newest_->modified <= floor; }

 private:
  struct Version {
    RecordPtr record;
    bool deleted = false;
  };

  RecordPtr newest_;
  bool deleted_ = false;
  size_t dropped_ = 0;  // elements released at the front of older_; erased in bulk, so that dropping one is cheap
  std::vector<Version> older_;
};

}  // namespace berth::store
