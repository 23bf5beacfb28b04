// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/cluster_view.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "remote/wire.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace berth::remote {

// What a plugin said of the pods of one class, node by node, with how each node was then.
class RememberedClass {
 public:
  // A number for each node, told again only when the node has changed.
  template <typename T>
  class ByNode {
   public:
    // Those of `nodes` that nothing is known of, as they are now.
    std::vector<framework::NodeId> Unknown(std::span<const framework::NodeId> nodes,
                                           std::span<const uint64_t> stamps) const {
      std::vector<framework::NodeId> unknown;
      for (const framework::NodeId node : nodes) {
        if (node >= stamps_.size() || stamps_[node] != stamps[node]) unknown.push_back(node);
      }
      return unknown;
    }
    void Set(framework::NodeId node, T value, std::span<const uint64_t> stamps) {
      if (stamps_.size() < stamps.size()) {
        stamps_.resize(stamps.size(), kNever);
        values_.resize(stamps.size());
      }
      stamps_[node] = stamps[node];
      values_[node] = value;
    }
    T Get(framework::NodeId node) const { return values_[node]; }

   private:
    static constexpr uint64_t kNever = ~uint64_t{0};
    std::vector<uint64_t> stamps_;
    std::vector<T> values_;
  };

  // Of a rejection, from 1.
  uint32_t NumberOf(const framework::Status& rejection);
  // A plugin may have a reason of its own for every node and day.
  bool has_too_many_reasons() const { return reasons.size() > kMaxReasons; }
  void ForgetVerdicts();

  framework::PodClassPtr pod_class;
  uint64_t used = 0;                            // grows: the least is forgotten first
  std::optional<framework::Status> pre_filter;  // nothing when it narrows the nodes down: that depends on them
  std::vector<framework::Status> reasons;       // of verdicts: number n is at n - 1
  ByNode<uint32_t> verdicts;                    // 0 passes
  std::optional<framework::Status> pre_score;
  ByNode<int64_t> scores;

 private:
  static constexpr size_t kMaxReasons = 10'000;
  std::map<std::pair<framework::Code, std::vector<std::string>>, uint32_t> numbers_;
};

// What a plugin said that declared what its verdicts follow from (Welcome.dependence): nobody asks again while that
// stays as it was. A new session begins with nothing. Engine thread only.
class RememberedVerdicts {
 public:
  // Null when every cycle must ask.
  RememberedClass* Find(uint64_t session, const wire::Welcome& welcome, const framework::PodInfo& pod);
  // How each node is, by NodeId: equal numbers mean that the plugin would say the same. For the latest Find.
  std::span<const uint64_t> Stamps(const framework::ClusterView& cluster);

 private:
  static constexpr size_t kClasses = 32;

  uint64_t session_ = 0;
  bool by_object_ = false;
  uint64_t uses_ = 0;
  std::vector<RememberedClass> classes_;
  // Of nodes without the pods on them.
  std::vector<uint64_t> seen_rows_;
  std::vector<api::NodePtr> objects_;
  std::vector<uint64_t> object_stamps_;
  uint64_t last_stamp_ = 0;
};

}  // namespace berth::remote
