// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "framework/status.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace berth::framework {

// Names an object of any kind, also of one that is unknown at compile time.
struct ObjectKey {
  std::string kind;
  std::string namespace_;  // empty for cluster-wide kinds
  std::string name;
  friend bool operator==(const ObjectKey&, const ObjectKey&) = default;
};

// A change to one object, as a JSON merge patch (RFC 7386).
struct ObjectPatch {
  ObjectKey object;
  std::string uid;               // the patch is refused when the object has another; empty does not ask
  std::string resource_version;  // the patch is a Conflict when the object is at another; empty does not ask
  std::string merge_patch;
};

// Names a piece of work until its answer has come; unique within one attempt to bind one pod.
using WorkTicket = uint32_t;

// Why a plugin at PreBind or Bind is called.
struct Wake {
  enum class Reason : uint8_t {
    Start,     // the first call
    Answer,    // work it asked for is done
    Change,    // an object it waits for was changed, added or deleted
    Deadline,  // the time it named has come
  };
  Reason reason = Reason::Start;
  WorkTicket ticket = 0;  // with Answer
  // With Answer: how it went. A patch tells the object's new resource version.
  Result<std::string> answer = std::string();
};

// How far a plugin at PreBind or Bind has come.
struct BindingProgress {
  Status status;                     // Wait: not finished; anything else is the outcome
  std::optional<Timestamp> wake_at;  // with Wait: call again then, whatever happens
  std::vector<ObjectKey> wake_on;    // with Wait: call again when one of these changes

  static BindingProgress Done(Status status) { return {std::move(status), {}, {}}; }
  static BindingProgress Wait() { return {Status::Wait(), {}, {}}; }
};

// What plugins at PreBind and Bind may ask for on behalf of one pod. Nothing here waits: answers come as a Wake. When
// the attempt ends before they do, they are dropped. Engine thread only.
class BindingWork {
 public:
  virtual ~BindingWork() = default;
  virtual WorkTicket Patch(ObjectPatch patch) = 0;
  // Runs `work` on a thread where it may block. It looks at the stop token, which is set when the attempt ends early,
  // and the attempt is not over before it has returned. Its status is the answer.
  virtual WorkTicket RunElsewhere(std::function<Status(const std::stop_token& stop)> work) = 0;
  // Calls `begin` at once with a function that takes the answer: to be called once, then or later, on any thread. For
  // what another process does: it needs no thread, and an answer that comes when the attempt is over is dropped.
  using TakeAnswer = std::function<void(Result<std::string> answer)>;
  virtual WorkTicket Await(const std::function<void(TakeAnswer take)>& begin) = 0;
};

// The same for Bind.
class BindWork : public BindingWork {
 public:
  // Writes that the pod has its node. Answered once it is known for sure whether that was done.
  virtual WorkTicket Bind() = 0;
};

}  // namespace berth::framework
