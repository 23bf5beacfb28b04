// SPDX-License-Identifier: Apache-2.0
#include "cluster/missing_nodes.h"

#include <utility>

namespace berth::cluster {

void MissingNodes::Add(std::string_view node, std::string_view uid) {
  auto it = numbers_.find(node);
  if (it == numbers_.end()) {
    auto number = static_cast<Number>(nodes_.size());
    if (vacant_.empty()) {
      nodes_.emplace_back();
    } else {
      number = vacant_.back();
      vacant_.pop_back();
    }
    nodes_[number].name = node;
    it = numbers_.emplace(node, number).first;
  }
  std::vector<std::string>& uids = nodes_[it->second].uids;
  places_[std::string(uid)] = {it->second, static_cast<uint32_t>(uids.size())};
  uids.emplace_back(uid);
}

void MissingNodes::Remove(std::string_view uid) {
  const auto it = places_.find(uid);
  if (it == places_.end()) return;
  const Place place = it->second;
  places_.erase(it);
  std::vector<std::string>& uids = nodes_[place.node].uids;
  if (place.position + 1 != uids.size()) {
    uids[place.position] = std::move(uids.back());
    places_.find(uids[place.position])->second.position = place.position;
  }
  uids.pop_back();
  if (uids.empty()) Forget(place.node);
}

std::vector<std::string> MissingNodes::Take(std::string_view node) {
  const auto it = numbers_.find(node);
  if (it == numbers_.end()) return {};
  std::vector<std::string> uids = std::move(nodes_[it->second].uids);
  for (const std::string& uid : uids) places_.erase(uid);
  Forget(it->second);
  return uids;
}

std::string_view MissingNodes::NodeOf(std::string_view uid) const {
  const auto it = places_.find(uid);
  return it == places_.end() ? std::string_view() : std::string_view(nodes_[it->second.node].name);
}

void MissingNodes::Forget(Number number) {
  numbers_.erase(nodes_[number].name);
  nodes_[number] = {};
  vacant_.push_back(number);
}

}  // namespace berth::cluster
