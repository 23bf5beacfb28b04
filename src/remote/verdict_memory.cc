// SPDX-License-Identifier: Apache-2.0
#include "remote/verdict_memory.h"

#include <algorithm>

namespace berth::remote {

using framework::PodInfo;
using framework::Status;

namespace {

// A plugin with more reasons than this has one for each node, and is asked anew.
constexpr size_t kMostReasons = 4'096;

bool SaysTheSame(const Status& a, const Status& b) { return a.code() == b.code() && a.reasons() == b.reasons(); }

}  // namespace

void VerdictMemory::OfClass::Grow(size_t slots) {
  if (slots <= filtered.size()) return;
  filtered.resize(slots, 0);
  verdicts.resize(slots, kPass);
  scored.resize(slots, 0);
  scores.resize(slots, 0);
}

VerdictMemory::Verdict VerdictMemory::OfClass::NumberOf(const Status& status) {
  const auto it = std::ranges::find_if(reasons, [&](const Status& reason) { return SaysTheSame(reason, status); });
  if (it != reasons.end()) return static_cast<Verdict>(it - reasons.begin());
  reasons.push_back(status);
  return static_cast<Verdict>(reasons.size() - 1);
}

VerdictMemory::OfClass* VerdictMemory::Of(const PodInfo& pod, const OpenCalls::Session* session, size_t slots) {
  if (session == nullptr) return nullptr;
  if (session->number != session_) {
    session_ = session->number;
    dependence_ = session->welcome.dependence();
    classes_.clear();
    slots_.clear();
    used_ = {};
  }
  classes_.reserve(most_classes_);  // they stay where they are
  if (dependence_ != wire::CLASS_AND_NODE && dependence_ != wire::CLASS_AND_NODE_OBJECT) return nullptr;
  auto it = slots_.find(pod.pod_class.get());
  if (it == slots_.end()) {
    auto slot = static_cast<Slot>(classes_.size());
    if (classes_.size() < most_classes_) {
      classes_.emplace_back();
    } else {
      slot = used_.oldest();
      slots_.erase(classes_[slot].pod_class.get());
      classes_[slot] = {};
    }
    classes_[slot].pod_class = pod.pod_class;
    it = slots_.emplace(pod.pod_class.get(), slot).first;
  }
  used_.Use(it->second);
  OfClass& known = classes_[it->second];
  if (known.reasons.size() > kMostReasons) {
    known = {};
    known.pod_class = pod.pod_class;
  }
  known.Grow(slots);
  return &known;
}

std::span<const uint64_t> VerdictMemory::Stamps(const framework::ClusterView& cluster) {
  const std::span<const uint64_t> versions = cluster.row_version();
  if (dependence_ == wire::CLASS_AND_NODE) return versions;
  const size_t slots = cluster.node_slots();
  seen_.resize(slots, 0);
  nodes_.resize(slots);
  stamps_.resize(slots, 0);
  cluster.live_nodes().ForEach([&](size_t id) {
    if (seen_[id] == versions[id]) return;
    seen_[id] = versions[id];
    const api::NodePtr& node = cluster.node(static_cast<framework::NodeId>(id)).node;
    if (nodes_[id] == node) return;
    nodes_[id] = node;
    stamps_[id] = ++last_stamp_;
  });
  return stamps_;
}

}  // namespace berth::remote
