// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/resource.h"
#include "store/memory/memory_store.h"

#include <map>
#include <memory>
#include <string>

namespace berth::test {

// Reads a store's history change by change and says what no scheduler may have done: given a pod a node twice, taken
// one back, or put more on a node than it has. Pods that somebody else creates with a node count, but blame nobody.
// One thread.
class HistoryAudit {
 public:
  // The history from here on, and the state it begins with.
  explicit HistoryAudit(store::Store& store);

  // Reads on to the present; everything wrong so far.
  const std::string& Problems();
  // How many bindings the history has so far.
  size_t bindings() const { return bindings_; }
  // A second scheduler that is not held off by a fence may overfill nodes; then only the rest is looked at.
  void IgnoreCapacity() { ignore_capacity_ = true; }

 private:
  struct Amounts {
    int64_t cpu = 0;
    int64_t memory = 0;
    int64_t pods = 0;
  };
  struct KnownPod {
    std::string node;
    Amounts requests;
  };

  void Take(const store::Event& event);
  void TakePod(const store::Event& event);
  void Blame(const std::string& node, const std::string& pod);
  Amounts RequestsOf(const store::Record& record);
  static Amounts AllocatableOf(const store::Record& record);

  std::unique_ptr<store::Watch> watch_;
  framework::ResourceNames names_;
  std::map<std::string, Amounts> nodes_;
  std::map<std::string, Amounts> used_;      // by node
  std::map<std::string, KnownPod> pods_;     // bound ones, by uid
  std::map<std::string, std::string> fate_;  // uid → node, also of pods that are gone
  size_t bindings_ = 0;
  bool ignore_capacity_ = false;
  std::string problems_;
};

}  // namespace berth::test
