// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "store/record.h"
#include "store/watch.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::store {

struct ListOptions {
  enum class Match : uint8_t {
    Latest,        // sees every write acknowledged before the call
    Any,           // whatever state is available; never waits
    NotOlderThan,  // at least `revision`; waits for it up to `patience`, then TooNew
    Exact,         // the state at `revision`; Expired below the compact floor, TooNew before it exists
  };
  Selection selection = {};
  Match match = Match::Latest;
  Revision revision = 0;
  Duration patience = std::chrono::seconds(3);
  size_t limit = 0;                 // maximum number of objects per page; 0 means no limit
  std::string continue_token = {};  // from the previous page; carries its own revision
};

struct Page {
  std::vector<RecordPtr> objects = {};  // in key order
  Revision revision = 0;                // the same for all pages of a list
  std::string continue_token = {};      // empty on the last page
};

// A condition for a commit.
struct Precondition {
  enum class Test : uint8_t { Absent, Exists, ModifiedAt, CreatedAt, UidIs };
  Key key = {};
  Test test = Test::Exists;
  Revision revision = 0;
  std::string uid = {};
};

struct Operation {
  enum class Type : uint8_t { Create, Update, Delete };  // Create fails if the object exists, the others if not
  Type type = Type::Create;
  Key key = {};
  std::string uid = {};  // for Create
  std::string value = {};
  Fields fields = {};
};

// Proves leadership: writes that carry it fail once another holder has taken over the lease.
struct Fence {
  std::string lease = {};
  Revision token = 0;
};

// Each object may appear in at most one operation. Without operations, a transaction only tests and uses no revision.
struct Transaction {
  std::vector<Precondition> preconditions = {};
  std::vector<Operation> operations = {};
  std::optional<Fence> fence = {};
};

// The outcome of a commit. One that failed changes nothing and uses no revision.
struct CommitOutcome {
  bool committed = false;
  Revision revision = 0;   // when committed: of the transaction, or the head if it had no operations
  size_t index = 0;        // of the failed precondition, or preconditions.size() + that of the failed operation
  RecordPtr current = {};  // the object that caused the failure, as it is now; null when absent
};

// One placement to write.
struct Binding {
  Key pod = {};
  std::string uid = {};
  std::string node = {};
  // The pod's revision that the decision was based on; 0 skips the check.
  Revision pod_revision = 0;
  // The node's revision that the decision was based on; 0 skips the check. For setups with several schedulers.
  Revision node_revision = 0;
};

enum class BindResult : uint8_t {
  Bound,     // done now, or already done: same pod, same node
  Conflict,  // the pod is on another node, or the pod or node is not at the expected revision
  Gone,      // no such pod, or its uid differs
};

struct BindReply {
  std::vector<BindResult> items = {};  // parallel to the bindings
  Revision revision = 0;               // of the bindings written by this call; 0 when there were none
};

// A lease that is held: an object of kind Lease, visible to lists and watches like any other. The token is the revision
// that created it: a takeover deletes the old object and creates a new one, in one transaction.
struct Lease {
  std::string name = {};
  std::string holder = {};
  Revision token = 0;
  Timestamp expires = {};
};

struct Stats {
  Revision head = 0;
  Revision compact_floor = 0;
  size_t objects = 0;
  size_t history_bytes = 0;
  size_t watchers = 0;
  size_t expired_watchers = 0;
};

struct Limits {
  size_t max_value_bytes = size_t{1536} << 10U;
  size_t max_operations = 10'000;
  size_t max_history_bytes = size_t{256} << 20U;
};

// Objects with a revision history: the interface of every storage engine. Thread-safe.
//
// Errors mean the same for every call. Unavailable: the call did nothing and may be retried. Unknown: it may have taken
// effect; check before retrying. Fenced: the fence's lease is no longer held. Expired: the revision was compacted.
// TooNew: the revision does not exist yet. Invalid: the request can never succeed.
class Store {
 public:
  virtual ~Store() = default;

  virtual Result<RecordPtr> Get(const Key& key) = 0;  // NotFound when absent; sees every acknowledged write
  virtual Result<Page> List(const ListOptions& options) = 0;
  virtual Result<std::unique_ptr<Watch>> OpenWatch(const WatchOptions& options) = 0;

  // All or nothing.
  virtual Result<CommitOutcome> Commit(Transaction transaction) = 0;
  // One transaction, with a result for each binding, decided in order. Sets the node_name field, not the document.
  virtual Result<BindReply> Bind(std::span<const Binding> bindings, const std::optional<Fence>& fence) = 0;

  virtual Result<Revision> CurrentRevision() = 0;
  // Waits until lists and watches have reached `revision`. TooNew after `patience`.
  virtual Result<void> WaitFor(Revision revision, Duration patience) = 0;

  // Forgets the changes up to and including `revision`; the state at `revision` can still be listed, and watched from.
  // At or below the floor it does nothing; beyond the head it is TooNew.
  virtual Result<void> Compact(Revision revision) = 0;
  virtual Revision CompactFloor() const = 0;

  // Takes a lease that is free or expired, or extends the holder's own, which keeps its token. Conflict when it is held
  // by another; the message says who. An expired lease stays valid as a fence until another holder takes it.
  virtual Result<Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) = 0;
  // Renewing and releasing fail with Fenced when this lease has been released or taken over.
  virtual Result<Lease> RenewLease(const Lease& lease, Duration ttl) = 0;
  virtual Result<void> ReleaseLease(const Lease& lease) = 0;
  // The lease as it was last written, even if it has expired since; nothing when it is free.
  virtual Result<std::optional<Lease>> ObserveLease(std::string_view name) = 0;

  virtual Stats GetStats() const = 0;
};

}  // namespace berth::store
