// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "home/object_change.h"
#include "store/record.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace berth::home {

// What a feed has told so far, so that a list that is made anew can be told as the difference: what is new, what
// changed, and what was deleted while nobody watched. One thread.
class KnownObjects {
 public:
  struct Known {
    api::Object object;
    store::Revision created = 0;
    store::Revision modified = 0;
    std::shared_ptr<const std::string> value;  // the document it was read from
    bool listed = false;                       // seen by the list under way
  };

  // A list of everything begins, or begins anew.
  void BeginList();
  // The list is complete: what it did not mention is gone.
  void EndList(std::vector<ObjectChange>& changes);

  // The object as it was told last; null when it is unknown.
  const Known* Find(const store::Key& key) const;
  // True when this state or a later one has been told already.
  bool IsOld(const store::Record& record);
  void Set(const store::Record& record, api::Object object, std::vector<ObjectChange>& changes);
  // A state that cannot be read: the last readable one stays, unless it is another object's of the same name.
  void SetUnreadable(const store::Record& record, std::vector<ObjectChange>& changes);
  void Delete(const store::Record& record, std::vector<ObjectChange>& changes);

 private:
  std::unordered_map<store::Key, Known, store::KeyHash> known_;
};

}  // namespace berth::home
