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

Error LostError(const Lease& lease, const RecordPtr& present) {
  return {ErrorCode::Fenced, fmt::format("the lease {} of {} with token {} is {}", lease.name, lease.holder,
                                         lease.token, present == nullptr ? "gone" : "somebody else's now")};
}

// Writes the lease, in the same change that may just have removed the previous holder's.
Lease WriteLease(Versions& versions, Versions::Change& change, std::string_view name, std::string_view holder,
                 Timestamp expires) {
  auto record = std::make_shared<Record>();
  record->key = LeaseKey(name);
  record->value = std::make_shared<const std::string>(EncodeLease(holder, expires));
  Versions::Entry& entry = versions.table().FindOrAdd(record->key);
  versions.Put(change, entry, std::move(record));
  return {std::string(name), std::string(holder), entry.second.present()->created, expires};
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

Result<Lease> MemoryStore::AcquireLease(std::string_view name, std::string_view holder, Duration ttl) {
  if (name.empty() || holder.empty() || ttl <= Duration::zero()) {
    return InvalidError(
        fmt::format("cannot lease \"{}\" to \"{}\": it needs a name, a holder and a time", name, holder));
  }
  const Timestamp now = clock_.Now();
  Lease lease;
  Versions::Dropped dropped;  // outlives the lock
  {
    MutexLock lock(hub_->mutex());
    Versions& versions = hub_->versions();
    Versions::Change change = versions.Begin(2);
    if (Versions::Entry* entry = versions.table().Find(LeaseKey(name)); entry && entry->second.present()) {
      BERTH_ASSIGN_OR_RETURN(const Lease held, DecodeLease(*entry->second.present()));
      if (held.holder != holder) {
        if (now < held.expires) {
          return Error{ErrorCode::Conflict, fmt::format("the lease {} is held by {}", name, held.holder)};
        }
        versions.Remove(change, *entry);
      }
    }
    lease = WriteLease(versions, change, name, holder, now + ttl);
    dropped = versions.Publish(std::move(change));
  }
  hub_->Announce();
  return lease;
}

Result<Lease> MemoryStore::RenewLease(const Lease& lease, Duration ttl) {
  if (ttl <= Duration::zero()) return InvalidError(fmt::format("cannot renew the lease {} for no time", lease.name));
  const Timestamp now = clock_.Now();
  Lease renewed;
  Versions::Dropped dropped;  // outlives the lock
  {
    MutexLock lock(hub_->mutex());
    Versions& versions = hub_->versions();
    const RecordPtr& present = versions.Present(LeaseKey(lease.name));
    if (present == nullptr || present->created != lease.token) return LostError(lease, present);
    Versions::Change change = versions.Begin(1);
    renewed = WriteLease(versions, change, lease.name, lease.holder, now + ttl);
    dropped = versions.Publish(std::move(change));
  }
  hub_->Announce();
  return renewed;
}

Result<void> MemoryStore::ReleaseLease(const Lease& lease) {
  Versions::Dropped dropped;  // outlives the lock
  {
    MutexLock lock(hub_->mutex());
    Versions& versions = hub_->versions();
    const RecordPtr& present = versions.Present(LeaseKey(lease.name));
    if (present == nullptr || present->created != lease.token) return LostError(lease, present);
    Versions::Change change = versions.Begin(1);
    versions.Remove(change, *versions.table().Find(LeaseKey(lease.name)));
    dropped = versions.Publish(std::move(change));
  }
  hub_->Announce();
  return {};
}

Result<std::optional<Lease>> MemoryStore::ObserveLease(std::string_view name) {
  Result<RecordPtr> record = hub_->Get(LeaseKey(name));
  if (!record) return std::optional<Lease>();
  BERTH_ASSIGN_OR_RETURN(Lease lease, DecodeLease(**record));
  return std::optional<Lease>(std::move(lease));
}

}  // namespace berth::store
