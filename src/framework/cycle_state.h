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
  // Empties this for the next cycle, and says whether it can serve there; what cannot is destroyed.
  virtual bool Recycle() { return false; }
  // Whether it serves PreFilter to Score only, and is not to be kept for as long as the pod is being bound.
  virtual bool EndsWithDecision() const { return false; }
};

// Gives a copyable struct its Clone: struct PortsState : CloneableState<PortsState> { … };
// If the struct also has a Clear(), it is cleared and kept from cycle to cycle instead of being made anew, so that its
// vectors need no new memory. With a static constexpr bool kEndsWithDecision = true it ends with the decision.
template <typename Derived>
class CloneableState : public StateData {
 public:
  std::unique_ptr<StateData> Clone() const override {
    return std::make_unique<Derived>(static_cast<const Derived&>(*this));
  }
  bool Recycle() override {
    if constexpr (requires(Derived & self) { self.Clear(); }) {
      static_cast<Derived&>(*this).Clear();
      return true;
    }
    return false;
  }
  bool EndsWithDecision() const override {
    if constexpr (requires { Derived::kEndsWithDecision; }) return Derived::kEndsWithDecision;
    return false;
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
  // Writes an empty T: one of an earlier cycle if there is one that was kept, otherwise a new one.
  template <typename T>
  T& Write(StateKey<T> key) {
    if (StateData* kept = Revive(key.name)) return static_cast<T&>(*kept);
    return Write(key, std::make_unique<T>());
  }
  // Takes back what was written.
  template <typename T>
  void Remove(StateKey<T> key) {
    Remove(key.name);
  }
  CycleState Clone() const;
  // Forgets everything, ready for the next cycle.
  void Reset();
  // Forgets what ends with the decision. Its memory is for the next cycle, which this is the state of.
  void EndDecision(CycleState& next);

 private:
  struct Entry {
    std::string_view name;  // a literal, so a view is enough
    std::unique_ptr<StateData> data;
    bool is_written = false;  // false: only kept for a later cycle

    void Forget();
  };

  Entry* FindEntry(std::string_view name);
  const StateData* Find(std::string_view name) const;
  void Put(std::string_view name, std::unique_ptr<StateData> data);
  StateData* Revive(std::string_view name);
  void Remove(std::string_view name);
  // A handful: a linear search beats hashing.
  std::vector<Entry> entries_;
};

}  // namespace berth::framework
