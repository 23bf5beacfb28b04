// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "home/object_change.h"
#include "store/record.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace berth::home {

// What a feed has told so far, so that a list that is made anew can be told as the difference: what is new, what
// changed, and what was deleted while nobody watched. One thread changes it; any may look an object up.
class KnownObjects {
 public:
  struct Known {
    api::Object object;
    store::Revision created = 0;
    store::Revision modified = 0;
    std::weak_ptr<const std::string> value;  // the document it was read from, which is not kept for this
    uint64_t listed = 0;                     // by which list it was seen last
  };

  // A list of everything begins, or begins anew.
  void BeginList() { ++list_; }
  // The list is complete: what it did not mention is gone.
  void EndList(std::vector<ObjectChange>& changes) BERTH_EXCLUDES(mutex_);

  // The object as it was told last; none when it is unknown. Any thread.
  std::optional<api::Object> Find(const store::Key& key) const BERTH_EXCLUDES(mutex_);
  // Every object of a kind, as it was told last, in no order. Any thread.
  std::vector<api::Object> OfKind(std::string_view kind) const BERTH_EXCLUDES(mutex_);
  // The object of this key if it was read from this very document.
  std::optional<api::Object> FindReadFrom(const store::Record& record) const BERTH_EXCLUDES(mutex_);
  // True when this state or a later one has been told already.
  bool IsOld(const store::Record& record) BERTH_EXCLUDES(mutex_);
  // True when this very state is the one that was told last.
  bool IsTold(const store::Record& record) BERTH_EXCLUDES(mutex_);
  void Set(const store::Record& record, api::Object object, std::vector<ObjectChange>& changes) BERTH_EXCLUDES(mutex_);
  // A state that cannot be read: the last readable one stays, unless it is another object's of the same name.
  void SetUnreadable(const store::Record& record, std::vector<ObjectChange>& changes) BERTH_EXCLUDES(mutex_);
  void Delete(const store::Record& record, std::vector<ObjectChange>& changes) BERTH_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::unordered_map<store::Key, Known, store::KeyHash> known_ BERTH_GUARDED_BY(mutex_);
  uint64_t list_ = 0;  // the list under way, or the last
};

}  // namespace berth::home
