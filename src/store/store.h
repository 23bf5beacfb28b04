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
    Any,           // whatever is at hand; never waits
    NotOlderThan,  // at least `revision`; waits for it up to `patience`, then TooNew
    Exact,         // the state at `revision`; Expired below the compact floor, TooNew before it exists
  };
  Selection selection = {};
  Match match = Match::Latest;
  Revision revision = 0;
  Duration patience = std::chrono::seconds(3);
  size_t limit = 0;                 // at most so many objects per page; 0 means all
  std::string continue_token = {};  // from the page before; brings its own revision
};

struct Page {
  std::vector<RecordPtr> objects = {};  // in order of key
  Revision revision = 0;                // one and the same for all pages of a list
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
  enum class Type : uint8_t { Create, Update, Delete };  // Create fails on what exists, the others on what does not
  Type type = Type::Create;
  Key key = {};
  std::string uid = {};  // for Create
  std::string value = {};
  Fields fields = {};
};

// Proves that its holder leads: writes that carry it fail once another has taken the lease over.
struct Fence {
  std::string lease = {};
  Revision token = 0;
};

// An object is named by one operation at most. Without operations it only tests, and uses no revision.
struct Transaction {
  std::vector<Precondition> preconditions = {};
  std::vector<Operation> operations = {};
  std::optional<Fence> fence = {};
};

// A commit that was decided. Conflict changes nothing and uses no revision.
struct CommitOutcome {
  bool committed = false;
  Revision revision = 0;   // of the transaction when committed, of the head when it had no operations
  size_t index = 0;        // of the precondition that failed, or preconditions.size() + that of the operation
  RecordPtr current = {};  // what is there instead; null when nothing is
};

// One placement to write.
struct Binding {
  Key pod = {};
  std::string uid = {};
  std::string node = {};
  // The pod's revision the decision was made on; 0 binds whatever the revision.
  Revision pod_revision = 0;
  // Refuses the binding when the node's record is not at this revision; 0 does not ask. For several schedulers.
  Revision node_revision = 0;
};

enum class BindResult : uint8_t {
  Bound,     // done now, or found done already: same pod, same node
  Conflict,  // the pod is on another node, changed since, or the node guard failed
  Gone,      // no such pod, or one of another uid
};

struct BindReply {
  std::vector<BindResult> items = {};  // parallel to the bindings
  Revision revision = 0;               // of those that were bound now; 0 when nothing was to be written
};

// A lease somebody holds: an object of kind Lease, which lists and watches show as any other. The token is the revision
// that created it: a take-over deletes the old object and creates a new one, in one transaction.
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

// Objects kept with a revision history: what every home of the scheduler offers, whatever it is made of. Thread-safe.
//
// Errors mean the same for every call: Unavailable, the call surely did nothing and may be repeated; Unknown, it may
// have been done, look before repeating; Fenced, the fence's lease is somebody else's now; Expired and TooNew, the
// revision is compacted or not there yet; Invalid, the request can never succeed.
class Store {
 public:
  virtual ~Store() = default;

  virtual Result<RecordPtr> Get(const Key& key) = 0;  // NotFound when absent; sees every acknowledged write
  virtual Result<Page> List(const ListOptions& options) = 0;
  virtual Result<std::unique_ptr<Watch>> OpenWatch(const WatchOptions& options) = 0;

  // All or nothing.
  virtual Result<CommitOutcome> Commit(Transaction transaction) = 0;
  // One transaction, with a result for each binding, decided in order. Sets the node_name field and leaves the document
  // alone.
  virtual Result<BindReply> Bind(std::span<const Binding> bindings, const std::optional<Fence>& fence) = 0;

  virtual Result<Revision> CurrentRevision() = 0;
  // Waits until lists and watches have come to `revision`. TooNew after `patience`.
  virtual Result<void> WaitFor(Revision revision, Duration patience) = 0;

  // Forgets the changes up to and including `revision`; the state at it can still be listed, and watched from. Never
  // goes back, repeating does nothing, beyond the head it is TooNew.
  virtual Result<void> Compact(Revision revision) = 0;
  virtual Revision CompactFloor() const = 0;

  // Takes a lease that is free or expired, or prolongs the holder's own, which keeps its token. Conflict when another
  // holds it; the message says who. A lease that ran out still fences for its holder until another takes it.
  virtual Result<Lease> AcquireLease(std::string_view name, std::string_view holder, Duration ttl) = 0;
  // Renewing and releasing is Fenced when the lease is not this one any more.
  virtual Result<Lease> RenewLease(const Lease& lease, Duration ttl) = 0;
  virtual Result<void> ReleaseLease(const Lease& lease) = 0;
  // The lease as it was last written, even if it has expired since; nothing when it is free.
  virtual Result<std::optional<Lease>> ObserveLease(std::string_view name) = 0;

  virtual Stats GetStats() const = 0;
};

}  // namespace berth::store
