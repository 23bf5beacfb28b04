// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/store.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace berth::store::contract {

// What a store should be, as simply as it can be said: all states it ever had, one after the other. One thread.
class Model {
 public:
  using Objects = std::map<Key, RecordPtr>;

  explicit Model(Revision start) : states_{{start, {}}} {}

  Revision head() const { return states_.back().revision; }
  const Objects& now() const { return states_.back().objects; }
  RecordPtr Find(const Key& key) const;

  // What a list of that revision and selection shows, as text.
  std::vector<std::string> ListAt(Revision revision, const Selection& selection) const;
  // The first revision after `revision` at which a selection sees a change; nothing when there is none.
  std::optional<Revision> NextChange(Revision revision, const Selection& selection) const;
  // What a selection sees of the change at `revision`, as sorted text.
  std::vector<std::string> ChangesAt(Revision revision, const Selection& selection) const;

  // What must come of a transaction; its revision is left open.
  CommitOutcome Judge(const Transaction& transaction) const;
  void Apply(const Transaction& transaction, Revision revision);
  // What must come of each binding. Applies those that are bound; `revision` is used when there is one.
  std::vector<BindResult> Bind(const std::vector<Binding>& bindings, Revision revision);
  // Takes over what the store says of an object of its own making; null when it is gone.
  void Adopt(const Key& key, const RecordPtr& record, Revision revision);

 private:
  struct State {
    Revision revision = 0;
    Objects objects;
  };
  // Begins the state of a new revision, which is like the one before.
  Objects& Next(Revision revision);
  const State& StateAt(Revision revision) const;

  std::vector<State> states_;
};

}  // namespace berth::store::contract
