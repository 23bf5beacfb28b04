// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "store/store.h"

#include <cstdint>
#include <span>
#include <string>

namespace berth::simulator {

// One change made to a cluster by something other than the scheduler: a user, a controller, a node. A run is fully
// determined by its inputs and their times, so these are what a record keeps.
struct Input {
  enum class Op : uint8_t {
    Create,
    Update,  // the whole document except the pod's node
    Delete,
    Phase,  // a pod's status.phase; Running also sets its start time
  };
  Op op = Op::Create;
  store::Key key;
  std::string uid;       // Create
  std::string document;  // Create, Update: JSON
  store::Fields fields;  // Create, Update
  std::string phase;     // Phase
};

// The input that writes a document. It must have a kind and a name.
Input WriteInput(Input::Op op, const api::Value& document);
// The key of a document, such as "Pod default/web-1"; the namespace is empty for cluster-scoped kinds. A custom object
// is in the namespace that its document names, if any.
store::Key KeyOf(const api::Value& document);

// Sets the phase in a pod's document, as a Phase input would at time `now`.
void SetPhaseIn(api::Value& pod, const std::string& phase, Timestamp now);

// Applies inputs in order, in as few transactions as possible, so that simultaneous changes are seen together. Fails on
// the first that cannot be applied.
Result<void> CommitInputs(std::span<const Input> inputs, store::Store& store, Timestamp now);

}  // namespace berth::simulator
