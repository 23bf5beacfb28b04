// SPDX-License-Identifier: Apache-2.0
#include "store/lease_document.h"
#include "store/memory/memory_store.h"

#include <utility>

#include <fmt/format.h>

namespace berth::store {
namespace {

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
