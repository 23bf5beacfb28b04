// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "framework/registry.h"
#include "scheduler/scheduler.h"
#include "store/memory/memory_store.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace berth::soak {

// What a pod has besides its name, as members of JSON objects: R"("app":"web")", R"("nodeSelector":{…})".
struct PodParts {
  std::string labels = {};
  std::string spec = {};
};

// What a node has besides its name.
struct NodeParts {
  std::string labels = {};
  std::string taint_value = {};  // of a taint "soak" that prefers other pods elsewhere; none when empty
  std::string image = {};        // that it holds; none when empty
};

// A memory store, a whole scheduler with the default profile over it, and a clock that moves only here. Everything runs
// on the caller's thread, so a run is the same every time.
class SoakedCluster {
 public:
  SoakedCluster();
  ~SoakedCluster();
  SoakedCluster(const SoakedCluster&) = delete;
  SoakedCluster& operator=(const SoakedCluster&) = delete;

  void AddNode(const std::string& name, const NodeParts& parts);
  void UpdateNode(const std::string& name, const NodeParts& parts);
  void RemoveNode(const std::string& name);
  void AddPod(const std::string& name, const PodParts& parts);
  void RemovePod(const std::string& name);
  // A claim that is bound to a volume of its own.
  void AddClaim(const std::string& name);
  void RemoveClaim(const std::string& name);

  // Writes what was asked for, lets the scheduler finish with it, moves time on by a second, and forgets what an API
  // server would forget in time: events, and the store's history.
  void Settle();
  uint64_t decisions();
  // Pods that found no node.
  uint64_t failures();

 private:
  void Pump();
  void DropEvents();

  ManualClock clock_;
  store::MemoryStore store_;
  framework::Registry registry_;
  std::unique_ptr<scheduler::Scheduler> scheduler_;
  std::vector<store::Operation> operations_;  // to be written
};

}  // namespace berth::soak
