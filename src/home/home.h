// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "home/command.h"
#include "home/object_change.h"
#include "store/store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::home {

// What a home can do, beyond what every home does.
struct Capabilities {
  bool one_revision = false;   // all kinds share one order of changes: FeedProgress says how far it was told
  bool fences = false;         // a write other than an event is refused by the home itself once another leads
  bool transactions = false;   // an eviction's mark and deletion are one step
  bool batched_bind = false;   // bindings that wait together are written together
  size_t max_in_flight = 100;  // commands worth having under way at once
};

// A problem of the feeds, or its end.
struct FeedProblem {
  enum class Kind : uint8_t {
    Unreadable,   // an object cannot be decoded; its last readable state stays
    Readable,     // the object can be decoded again, or was deleted
    Interrupted,  // a list or watch failed, or fell too far behind; it is retried
    Recovered,    // lists and watches work again
  };
  Kind kind = Kind::Unreadable;
  // "Pod default/web-1" of Unreadable and Readable; otherwise the kind of the feed, or "all" where one feed serves all.
  std::string object = {};
  std::string error = {};  // of Unreadable and Interrupted
};

// Where a home delivers. Called on the home's threads, or inside its pump functions.
class HomeListener {
 public:
  virtual ~HomeListener() = default;
  // Objects that changed, in order for each kind. No order between kinds is promised. May wait until there is room;
  // says false once nobody listens any more.
  virtual bool TakeChanges(std::vector<ObjectChange>& changes) = 0;
  // Everything that existed when the feeds were opened has been told. Once.
  virtual void Synced() = 0;
  virtual void TakeCompletions(std::vector<Completion>& completions) = 0;
  virtual void TakeProblem(FeedProblem problem) = 0;
};

// How the feeds are doing.
struct FeedStats {
  uint64_t relists = 0;        // lists begun, the first included
  uint64_t interruptions = 0;  // lists and watches that failed
  uint64_t undecodable = 0;    // object states that could not be read; the last readable one stays
  std::string last_error = {};
};

// Holds a lease on behalf of leader election. Calls may block, and hang: whoever holds a lease keeps a deadline of his
// own. Any thread, one call at a time.
class Leases {
 public:
  virtual ~Leases() = default;
  virtual Result<store::Lease> Acquire(std::string_view name, std::string_view holder, Duration ttl) = 0;
  virtual Result<store::Lease> Renew(const store::Lease& lease, Duration ttl) = 0;
  virtual Result<void> Release(const store::Lease& lease) = 0;
};

// Where nodes and pods live: a database, a Kubernetes cluster, a simulation. It feeds the scheduler with what is there
// and what changes, carries out its commands, and lends it the lease by which one of several schedulers leads.
//
// Submit never blocks. A home runs on threads of its own between Start and Stop, or is driven by its owner through the
// pump functions, which then do the same work.
class Home {
 public:
  virtual ~Home() = default;
  virtual Capabilities capabilities() const = 0;
  virtual Leases& leases() = 0;

  // To be called once, before anything else; the listener outlives the home's work. Feeds of these kinds are opened.
  virtual void Open(HomeListener& listener, std::vector<std::string> kinds) = 0;
  virtual void Start() = 0;
  // Carries out the bindings it was given, answers other commands that are not on their way as NotDone, and ends all
  // threads. Says false when a binding may still be carried out after that. Idempotent.
  virtual bool Stop() = 0;

  // Takes the commands out of the list. Every one is answered by exactly one completion. Any thread.
  virtual void Submit(std::vector<Submission>& commands) = 0;

  // Without threads: each does what can be done now, and says whether there was anything.
  virtual bool PumpFeeds() = 0;
  virtual bool PumpCommands() = 0;
  // When time alone will give the pump functions something to do.
  virtual std::optional<Timestamp> NextDue() const = 0;

  // With one_revision: every change up to here has been handed to the listener. Any thread.
  virtual store::Revision FeedProgress() const = 0;
  virtual FeedStats feed_stats() const = 0;

  // Returns the object as last reported by the feeds, which may be newer than what the listener has processed; nothing
  // when there is no such object or its kind has no feed. Any thread, after Open.
  virtual std::optional<api::Object> FindTold(const store::Key& key) const = 0;
  // The same of every object of a kind, in no order.
  virtual std::vector<api::Object> ToldOfKind(std::string_view kind) const = 0;
};

}  // namespace berth::home
