// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/string_map.h"
#include "cluster/cluster_objects.h"
#include "simulator/run/input.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace berth::simulator {

// Changes the objects of a simulated cluster as users, controllers and nodes would, through what stands in for an API
// server: it gives uids, creation times and priorities. Changes are gathered and committed together.
//
// Every change is told to `sink` when it is committed. One thread.
class ClusterWriter {
 public:
  // Everything lent outlives the writer.
  ClusterWriter(store::Store& store, const Clock& clock, std::function<void(const Input&)> sink);

  // The document as it is written. AlreadyExists when there is such an object.
  Result<api::Value> Create(api::Value document);
  // Creates or replaces the object of that name; where a pod is stays as it is.
  Result<api::Value> Apply(api::Value document);
  // NotFound when there is none; the same below.
  Result<void> Delete(const store::Key& key);
  Result<void> SetPhase(const store::Key& key, std::string phase);
  // The object's document, with what was changed and is not committed yet.
  Result<api::Value> Read(const store::Key& key);
  bool Exists(const store::Key& key);

  bool has_changes() const { return !pending_.empty(); }
  Result<void> Commit();
  // What was odd, one sentence each, since last asked.
  std::vector<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

 private:
  void Complete(api::Value& document, const store::Key& key, bool is_new);
  void CompletePod(api::Value& document, const store::Key& key);
  void Add(Input input);
  void Learn(const api::Value& document);

  store::Store& store_;
  const Clock& clock_;
  std::function<void(const Input&)> sink_;
  std::vector<Input> pending_;
  std::set<store::Key> touched_;     // by what is pending
  cluster::ClusterObjects classes_;  // the priority classes
  uint64_t uids_ = 0;                // given out
  StringSet given_uids_;             // by documents
  std::set<std::string> unknown_classes_;
  std::vector<std::string> warnings_;
};

}  // namespace berth::simulator
