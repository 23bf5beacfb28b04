// SPDX-License-Identifier: Apache-2.0
#include "store/memory/memory_store.h"

#include "store/lease_document.h"
#include "store/transaction_check.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::store {
namespace {

Result<void> CheckFence(Versions& versions, const std::optional<Fence>& fence) {
  if (!fence) return {};
  const RecordPtr& lease = versions.Present(LeaseKey(fence->lease));
  if (lease != nullptr && lease->created == fence->token) return {};
  return Error{ErrorCode::Fenced, fmt::format("the lease {} of token {} is {}", fence->lease, fence->token,
                                              lease == nullptr ? "gone" : "somebody else's now")};
}

bool Holds(const Precondition& precondition, const Record* object) {
  if (precondition.test == Precondition::Test::Absent) return object == nullptr;
  if (object == nullptr) return false;
  switch (precondition.test) {
    case Precondition::Test::ModifiedAt: return object->modified == precondition.revision;
    case Precondition::Test::CreatedAt: return object->created == precondition.revision;
    case Precondition::Test::UidIs: return object->uid == precondition.uid;
    case Precondition::Test::Exists:
    case Precondition::Test::Absent: break;
  }
  return true;
}

// The first precondition or operation that fails, or the outcome of a transaction that may proceed.
CommitOutcome Judge(Versions& versions, const Transaction& transaction) {
  size_t index = 0;
  for (const Precondition& precondition : transaction.preconditions) {
    const RecordPtr& present = versions.Present(precondition.key);
    if (!Holds(precondition, present.get())) return {.index = index, .current = present};
    ++index;
  }
  for (const Operation& operation : transaction.operations) {
    const RecordPtr& present = versions.Present(operation.key);
    if ((operation.type == Operation::Type::Create) != (present == nullptr)) {
      return {.index = index, .current = present};
    }
    ++index;
  }
  return {.committed = true, .revision = versions.head()};
}

// The records the operations write, except for fields only known under the lock. Null for a deletion.
std::vector<std::shared_ptr<Record>> MakeRecords(std::vector<Operation>& operations) {
  std::vector<std::shared_ptr<Record>> records;
  records.reserve(operations.size());
  for (Operation& operation : operations) {
    auto& record = records.emplace_back();
    if (operation.type == Operation::Type::Delete) continue;
    record = std::make_shared<Record>();
    record->key = operation.key;
    record->uid = std::move(operation.uid);
    record->value = std::make_shared<const std::string>(std::move(operation.value));
    record->fields = std::move(operation.fields);
  }
  return records;
}

BindResult BindOne(Versions& versions, Versions::Change& change, const Binding& binding, Versions::Entry* entry) {
  if (entry == nullptr || entry->second.present() == nullptr) return BindResult::Gone;
  const Record& pod = *entry->second.present();
  if (pod.uid != binding.uid) return BindResult::Gone;
  // A repeated request is no conflict, although the first one changed the pod's revision.
  if (pod.fields.node_name == binding.node) return BindResult::Bound;
  if (!pod.fields.node_name.empty()) return BindResult::Conflict;
  if (binding.pod_revision != 0 && binding.pod_revision != pod.modified) return BindResult::Conflict;
  if (binding.node_revision != 0) {
    const RecordPtr& node = versions.Present({"Node", "", binding.node});
    if (node == nullptr || node->modified != binding.node_revision) return BindResult::Conflict;
  }
  auto bound = std::make_shared<Record>(pod);
  bound->fields.node_name = binding.node;
  versions.Put(change, *entry, std::move(bound));
  return BindResult::Bound;
}

std::vector<BindResult> BindAll(Versions& versions, Versions::Change& change, std::span<const Binding> bindings) {
  // In portions small enough that the pods stay cached from lookup to write.
  constexpr size_t kPortion = 64;
  std::array<const Key*, kPortion> pods = {};
  std::array<Versions::Entry*, kPortion> entries = {};
  std::vector<BindResult> results;
  results.reserve(bindings.size());
  while (!bindings.empty()) {
    const std::span<const Binding> portion = bindings.first(std::min(kPortion, bindings.size()));
    std::ranges::transform(portion, pods.begin(), [](const Binding& binding) { return &binding.pod; });
    versions.table().Find(std::span(pods).first(portion.size()), std::span(entries).first(portion.size()));
    for (size_t i = 0; i < portion.size(); ++i) {
      results.push_back(BindOne(versions, change, portion[i], entries[i]));
    }
    bindings = bindings.subspan(portion.size());
  }
  return results;
}

}  // namespace

MemoryStore::MemoryStore(const Clock& clock, const Limits& limits)
    : clock_(clock), limits_(limits), hub_(std::make_shared<Hub>(limits.max_history_bytes)) {}

MemoryStore::~MemoryStore() { hub_->Close(); }

Result<CommitOutcome> MemoryStore::Commit(Transaction transaction) {
  BERTH_RETURN_IF_ERROR(CheckTransaction(transaction, limits_));
  std::vector<std::shared_ptr<Record>> records = MakeRecords(transaction.operations);
  CommitOutcome outcome;
  Versions::Dropped dropped;  // outlives the lock
  {
    MutexLock lock(hub_->mutex());
    Versions& versions = hub_->versions();
    BERTH_RETURN_IF_ERROR(CheckFence(versions, transaction.fence));
    outcome = Judge(versions, transaction);
    if (!outcome.committed || records.empty()) return outcome;
    Versions::Change change = versions.Begin(records.size());
    for (size_t i = 0; i < records.size(); ++i) {
      Versions::Entry& entry = versions.table().FindOrAdd(transaction.operations[i].key);
      if (records[i] == nullptr) {
        versions.Remove(change, entry);
      } else {
        versions.Put(change, entry, std::move(records[i]));
      }
    }
    outcome.revision = change.revision;
    dropped = versions.Publish(std::move(change));
  }
  hub_->Announce();
  return outcome;
}

Result<BindReply> MemoryStore::Bind(std::span<const Binding> bindings, const std::optional<Fence>& fence) {
  BERTH_RETURN_IF_ERROR(CheckBindings(bindings, limits_));
  BindReply reply;
  Versions::Dropped dropped;  // outlives the lock
  {
    MutexLock lock(hub_->mutex());
    Versions& versions = hub_->versions();
    BERTH_RETURN_IF_ERROR(CheckFence(versions, fence));
    Versions::Change change = versions.Begin(bindings.size());
    reply.items = BindAll(versions, change, bindings);
    if (change.events.empty()) return reply;
    reply.revision = change.revision;
    dropped = versions.Publish(std::move(change));
  }
  hub_->Announce();
  return reply;
}

}  // namespace berth::store
