// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::framework {

// What a plugin leaves for its later extension points. Clone must copy deep enough that changing the clone
// (AddPod, RemovePod) leaves the original alone.
class StateData {
 public:
  virtual ~StateData() = default;
  virtual std::unique_ptr<StateData> Clone() const = 0;
};

// Gives a copyable struct its Clone: struct PortsState : CloneableState<PortsState> { … };
template <typename Derived>
class CloneableState : public StateData {
 public:
  std::unique_ptr<StateData> Clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
};

// Names a piece of state and its type: inline constexpr StateKey<PortsState> kPorts{"NodePorts/PreFilter"};
template <typename T>
struct StateKey {
  std::string_view name;
};

// What plugins remember during one scheduling cycle of one pod. One thread writes; during Filter and Score
// any number may read.
class CycleState {
 public:
  CycleState() = default;
  CycleState(CycleState&&) = default;
  CycleState& operator=(CycleState&&) = default;

  template <typename T>
  const T* Read(StateKey<T> key) const {
    return static_cast<const T*>(Find(key.name));
  }
  template <typename T>
  T* Mutable(StateKey<T> key) {
    return static_cast<T*>(const_cast<StateData*>(Find(key.name)));
  }
  template <typename T>
  T& Write(StateKey<T> key, std::unique_ptr<T> data) {
    T& written = *data;
    Put(key.name, std::move(data));
    return written;
  }
  CycleState Clone() const;

 private:
  const StateData* Find(std::string_view name) const;
  void Put(std::string_view name, std::unique_ptr<StateData> data);
  // A handful of entries: a linear search beats hashing. Names are literals, so views are enough.
  std::vector<std::pair<std::string_view, std::unique_ptr<StateData>>> entries_;
};

}  // namespace berth::framework
