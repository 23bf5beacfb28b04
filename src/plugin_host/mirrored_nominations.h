// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/string_map.h"
#include "framework/node_info.h"
#include "framework/nominator.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace berth::plugin_host {

// Which pods were promised which node, as a scheduler tells it. What a plugin changes here is not told to the
// scheduler: nominations are made by PostFilter's answer.
class MirroredNominations final : public framework::Nominator {
 public:
  void Add(framework::PodInfoPtr pod, std::string_view node_name) override {
    const std::string uid(framework::PodUid(*pod->pod));
    Remove(uid);
    node_of_pod_[uid] = node_name;
    pods_by_node_[std::string(node_name)].push_back(std::move(pod));
  }
  void Remove(std::string_view pod_uid) override {
    const auto it = node_of_pod_.find(pod_uid);
    if (it == node_of_pod_.end()) return;
    const auto on_node = pods_by_node_.find(it->second);
    std::erase_if(on_node->second,
                  [&](const framework::PodInfoPtr& pod) { return framework::PodUid(*pod->pod) == pod_uid; });
    if (on_node->second.empty()) pods_by_node_.erase(on_node);
    node_of_pod_.erase(it);
  }
  std::string_view NodeOf(std::string_view pod_uid) const override {
    const auto it = node_of_pod_.find(pod_uid);
    return it == node_of_pod_.end() ? std::string_view() : std::string_view(it->second);
  }
  std::span<const framework::PodInfoPtr> PodsFor(std::string_view node_name) const override {
    const auto it = pods_by_node_.find(node_name);
    if (it == pods_by_node_.end()) return {};
    return it->second;
  }
  std::vector<std::string> NodesWithNominations() const override {
    std::vector<std::string> names;
    for (const auto& [name, pods] : pods_by_node_) names.push_back(name);
    std::ranges::sort(names);
    return names;
  }

 private:
  StringMap<std::vector<framework::PodInfoPtr>> pods_by_node_;
  StringMap<std::string> node_of_pod_;  // by pod uid
};

}  // namespace berth::plugin_host
