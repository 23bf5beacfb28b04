// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/clock.h"
#include "store/memory/memory_store.h"

#include <string>
#include <vector>

namespace berth::test {

// What a test wants of a pod besides its name.
struct PodWish {
  std::string cpu = "100m";
  int priority = 0;
  std::string scheduler = "default-scheduler";
  std::string more_spec = {};    // further members of the spec, as JSON: R"("nodeSelector":{"a":"b"})"
  std::string more_meta = {};    // the same for the metadata
  std::string more_status = {};  // the same for the status
  std::string node = {};         // bound already
};

// What a commit needs to create these. A pod's uid is "uid-" and its name; it lives in the namespace default.
store::Operation NodeOperation(const std::string& name, const std::string& cpu, const std::string& more_labels = {});
store::Operation PodOperation(const std::string& name, const PodWish& wish = {});

// A cluster in a store, and the hand of those who run it: nodes and pods come, change and go. Thread-safe as the store.
class StoredCluster {
 public:
  explicit StoredCluster(const Clock& clock) : store(clock) {}

  void AddNode(const std::string& name, const std::string& cpu = "4", const std::string& more_labels = {});
  void UpdateNode(const std::string& name, const std::string& cpu, const std::string& more_labels = {});
  void RemoveNode(const std::string& name);
  void AddPod(const std::string& name, const PodWish& wish = {});
  void UpdatePod(const std::string& name, const PodWish& wish);
  void RemovePod(const std::string& name);
  // Many objects in one transaction.
  void Write(std::vector<store::Operation> operations);

  // "" when it has none, "gone" when there is no such pod.
  std::string NodeOf(const std::string& pod) const;
  std::string DocumentOf(const std::string& pod) const;
  // "Reason: note" of all events about the pod, in order.
  std::vector<std::string> EventsOf(const std::string& pod) const;
  std::vector<store::RecordPtr> Pods() const;
  size_t UnboundPods() const;

  mutable store::MemoryStore store;
};

}  // namespace berth::test
