// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace berth::framework {

// Changes the cluster's objects on behalf of plugins. Thread-safe: Bind runs on the binding pool.
class Writer {
 public:
  virtual ~Writer() = default;
  virtual Result<void> Bind(const api::Pod& pod, std::string_view node) = 0;
  // Marks the pod as disrupted by preemption, then deletes it, to make room for the pod `preemptor_uid`. May return
  // before that is done.
  virtual Result<void> Evict(const api::Pod& pod, std::string_view message, std::string_view preemptor_uid) = 0;
  // True while evictions for this pod are still to be written: trying it again now could only evict more.
  virtual bool EvictsFor(std::string_view /*preemptor_uid*/) const { return false; }
  virtual Result<void> ClearNomination(const api::Pod& pod) = 0;
};

// Tells users what happened to an object. Thread-safe.
class EventRecorder {
 public:
  virtual ~EventRecorder() = default;
  // `type` is Normal or Warning.
  virtual void Record(const api::Pod& about, std::string_view type, std::string_view reason, std::string_view action,
                      std::string message) = 0;
};

}  // namespace berth::framework
