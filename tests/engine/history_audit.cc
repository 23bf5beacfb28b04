// SPDX-License-Identifier: Apache-2.0
#include "engine/history_audit.h"

#include "api/decoder.h"
#include "api/document.h"
#include "api/object.h"
#include "framework/node_info.h"
#include "framework/pod_info.h"

#include <utility>

#include <fmt/format.h>

namespace berth::test {

using store::Event;
using store::WatchItem;

namespace {

template <typename T>
T Decoded(const store::Record& record) {
  api::DecodeErrors errors;
  const std::vector<api::Document> documents = api::ReadDocuments(*record.value, "record").value();
  return api::Decode<T>(documents.front().root, errors);
}

}  // namespace

HistoryAudit::HistoryAudit(store::Store& store) {
  store::WatchOptions options;
  options.selection.kinds = {"Node", "Pod"};
  options.initial_events = true;
  watch_ = store.OpenWatch(options).value();
  Problems();  // the state to begin with is taken now, not when it is first asked for
}

const std::string& HistoryAudit::Problems() {
  while (true) {
    const WatchItem item = watch_->Next(Duration(0));
    if (item.kind == WatchItem::Kind::Timeout) return problems_;
    if (item.kind == WatchItem::Kind::Expired || item.kind == WatchItem::Kind::Closed) {
      return problems_ += "the history was compacted before it was read\n";
    }
    for (const Event& event : item.events) Take(event);
  }
}

void HistoryAudit::Take(const Event& event) {
  if (event.object->key.kind == "Pod") {
    TakePod(event);
  } else if (event.type == Event::Type::Deleted) {
    nodes_.erase(event.object->key.name);
  } else {
    nodes_[event.object->key.name] = AllocatableOf(*event.object);
  }
}

void HistoryAudit::TakePod(const Event& event) {
  const store::Record& pod = *event.object;
  const std::string& uid = pod.uid;
  if (event.type == Event::Type::Deleted) {
    const auto it = pods_.find(uid);
    if (it == pods_.end()) return;
    Amounts& used = used_[it->second.node];
    used.cpu -= it->second.requests.cpu;
    used.memory -= it->second.requests.memory;
    --used.pods;
    pods_.erase(it);
    return;
  }
  const std::string& node = pod.fields.node_name;
  const std::string& before = fate_[uid];
  if (node == before) return;
  if (!before.empty()) {
    problems_ += fmt::format("revision {}: {} was on '{}' and is on '{}'\n", pod.modified, pod.key.name, before, node);
    return;
  }
  fate_[uid] = node;
  const Amounts requests = RequestsOf(pod);
  pods_[uid] = {node, requests};
  Amounts& used = used_[node];
  used.cpu += requests.cpu;
  used.memory += requests.memory;
  ++used.pods;
  if (event.type != Event::Type::Modified) return;
  ++bindings_;
  if (!ignore_capacity_) Blame(node, pod.key.name);
}

void HistoryAudit::Blame(const std::string& node, const std::string& pod) {
  const auto it = nodes_.find(node);
  if (it == nodes_.end()) return;  // it went while the pod was on its way
  const Amounts& used = used_[node];
  if (used.cpu <= it->second.cpu && used.memory <= it->second.memory && used.pods <= it->second.pods) return;
  problems_ += fmt::format("{} overfills {}: cpu {}/{} memory {}/{} pods {}/{}\n", pod, node, used.cpu, it->second.cpu,
                           used.memory, it->second.memory, used.pods, it->second.pods);
}

HistoryAudit::Amounts HistoryAudit::RequestsOf(const store::Record& record) {
  const auto pod = std::make_shared<const api::Pod>(Decoded<api::Pod>(record));
  const framework::PodInfoPtr info = framework::MakePodInfo(pod, names_);
  return {info->traits->requests.cpu, info->traits->requests.memory, 1};
}

HistoryAudit::Amounts HistoryAudit::AllocatableOf(const store::Record& record) {
  framework::ResourceNames names;
  framework::NodeInfo info;
  info.SetNode(std::make_shared<const api::Node>(Decoded<api::Node>(record)), names);
  return {info.allocatable.cpu, info.allocatable.memory, info.allowed_pods};
}

}  // namespace berth::test
