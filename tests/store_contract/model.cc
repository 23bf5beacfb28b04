// SPDX-License-Identifier: Apache-2.0
#include "store_contract/model.h"

#include "store_contract/words.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

namespace berth::store::contract {
namespace {

// The events of one object between two states, either of which may be null.
std::vector<Event> Between(const RecordPtr& before, const RecordPtr& after, Revision revision) {
  const auto stamped = [&] {
    auto last = std::make_shared<Record>(*before);
    last->modified = revision;
    return last;
  };
  if (before == nullptr && after == nullptr) return {};
  if (before == nullptr) return {{Event::Type::Added, after, nullptr}};
  if (after == nullptr) return {{Event::Type::Deleted, stamped(), before}};
  if (before->modified == after->modified) return {};
  if (before->created == after->created) return {{Event::Type::Modified, after, before}};
  return {{Event::Type::Deleted, stamped(), before}, {Event::Type::Added, after, nullptr}};
}

RecordPtr Lookup(const Model::Objects& objects, const Key& key) {
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

RecordPtr Selected(const RecordPtr& record, const Selection& selection) {
  return record != nullptr && selection.Matches(*record) ? record : nullptr;
}

bool Holds(const Precondition& precondition, const RecordPtr& record) {
  switch (precondition.test) {
    case Precondition::Test::Absent: return record == nullptr;
    case Precondition::Test::Exists: return record != nullptr;
    case Precondition::Test::ModifiedAt: return record != nullptr && record->modified == precondition.revision;
    case Precondition::Test::CreatedAt: return record != nullptr && record->created == precondition.revision;
    case Precondition::Test::UidIs: return record != nullptr && record->uid == precondition.uid;
  }
  return false;
}

}  // namespace

RecordPtr Model::Find(const Key& key) const { return Lookup(now(), key); }

const Model::State& Model::StateAt(Revision revision) const {
  const auto after =
      std::ranges::partition_point(states_, [&](const State& state) { return state.revision <= revision; });
  return after == states_.begin() ? states_.front() : *std::prev(after);
}

std::vector<std::string> Model::ListAt(Revision revision, const Selection& selection) const {
  std::vector<std::string> texts;
  for (const auto& [key, record] : StateAt(revision).objects) {
    if (selection.Matches(*record)) texts.push_back(ToText(*record));
  }
  return texts;
}

std::vector<std::string> Model::ChangesAt(Revision revision, const Selection& selection) const {
  const Objects& before = StateAt(revision - 1).objects;
  const Objects& after = StateAt(revision).objects;
  Objects keys = before;
  keys.insert(after.begin(), after.end());
  std::vector<std::string> texts;
  for (const auto& [key, record] : keys) {
    const RecordPtr old = Selected(Lookup(before, key), selection);
    for (const Event& event : Between(old, Selected(Lookup(after, key), selection), revision)) {
      texts.push_back(ToText(event));
    }
  }
  std::ranges::sort(texts);
  return texts;
}

std::optional<Revision> Model::NextChange(Revision revision, const Selection& selection) const {
  for (const State& state : states_) {
    if (state.revision > revision && !ChangesAt(state.revision, selection).empty()) return state.revision;
  }
  return std::nullopt;
}

CommitOutcome Model::Judge(const Transaction& transaction) const {
  size_t index = 0;
  for (const Precondition& precondition : transaction.preconditions) {
    const RecordPtr record = Find(precondition.key);
    if (!Holds(precondition, record)) return {.index = index, .current = record};
    ++index;
  }
  for (const Operation& operation : transaction.operations) {
    const RecordPtr record = Find(operation.key);
    if ((operation.type == Operation::Type::Create) == (record != nullptr)) return {.index = index, .current = record};
    ++index;
  }
  return {.committed = true};
}

Model::Objects& Model::Next(Revision revision) {
  EXPECT_GT(revision, head());
  states_.push_back({revision, now()});
  return states_.back().objects;
}

void Model::Apply(const Transaction& transaction, Revision revision) {
  Objects& objects = Next(revision);
  for (const Operation& operation : transaction.operations) {
    if (operation.type == Operation::Type::Delete) {
      objects.erase(operation.key);
      continue;
    }
    const RecordPtr old = Lookup(objects, operation.key);
    objects[operation.key] = std::make_shared<const Record>(
        Record{operation.key, old == nullptr ? operation.uid : old->uid, old == nullptr ? revision : old->created,
               revision, std::make_shared<const std::string>(operation.value), operation.fields});
  }
}

std::vector<BindResult> Model::Bind(const std::vector<Binding>& bindings, Revision revision) {
  Objects objects = now();
  std::vector<BindResult> results;
  bool changed = false;
  for (const Binding& binding : bindings) {
    const RecordPtr pod = Lookup(objects, binding.pod);
    const RecordPtr node = Lookup(objects, Node(binding.node));
    if (pod == nullptr || pod->uid != binding.uid) {
      results.push_back(BindResult::Gone);
    } else if (pod->fields.node_name == binding.node) {
      results.push_back(BindResult::Bound);
    } else if (!pod->fields.node_name.empty() || (binding.pod_revision != 0 && binding.pod_revision != pod->modified) ||
               (binding.node_revision != 0 && (node == nullptr || node->modified != binding.node_revision))) {
      results.push_back(BindResult::Conflict);
    } else {
      auto bound = std::make_shared<Record>(*pod);
      bound->fields.node_name = binding.node;
      bound->modified = revision;
      objects[binding.pod] = std::move(bound);
      results.push_back(BindResult::Bound);
      changed = true;
    }
  }
  EXPECT_EQ(changed, revision != 0);
  if (changed) Next(revision) = std::move(objects);
  return results;
}

void Model::Adopt(const Key& key, const RecordPtr& record, Revision revision) {
  Objects& objects = Next(revision);
  if (record == nullptr) {
    objects.erase(key);
  } else {
    EXPECT_EQ(record->modified, revision);
    objects[key] = record;
  }
}

}  // namespace berth::store::contract
