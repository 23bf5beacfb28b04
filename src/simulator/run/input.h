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

// One thing done to a cluster by somebody other than the scheduler: a user, a controller, a node. A run is nothing but
// inputs at their times, so they are what a record keeps.
struct Input {
  enum class Op : uint8_t {
    Create,
    Update,  // all of the document but where the pod is
    Delete,
    Phase,  // a pod's status.phase; Running sets its start time, too
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
// "Pod default/web-1" of a document; its namespace is empty for kinds that have none. A custom object has the namespace
// it says it has.
store::Key KeyOf(const api::Value& document);

// Sets the phase in a pod's document, as a Phase input would at this moment.
void SetPhaseIn(api::Value& pod, const std::string& phase, Timestamp now);

// Carries inputs out in order, as few transactions as possible, so that what happens at one moment is seen at once.
// Fails on the first that cannot be done.
Result<void> CommitInputs(std::span<const Input> inputs, store::Store& store, Timestamp now);

}  // namespace berth::simulator
