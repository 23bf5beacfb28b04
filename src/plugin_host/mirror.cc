// SPDX-License-Identifier: Apache-2.0
#include "plugin_host/mirror.h"

#include "api/document.h"

#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace berth::plugin_host {

using framework::kNoNode;
using framework::NodeId;
using framework::PodInfoPtr;

namespace wire = plugin::v1;

namespace {

// More nodes than any scheduler has: a number beyond is a mistake, and would cost memory.
constexpr uint32_t kMostNodes = 10'000'000;

Result<api::Value> ReadDocument(const std::string& text, std::string_view what) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(text, what));
  if (documents.size() != 1) return InvalidError(fmt::format("{}: {} documents", what, documents.size()));
  return std::move(documents.front().root);
}

std::string KeyOf(std::string_view ns, std::string_view name) {
  return ns.empty() ? std::string(name) : fmt::format("{}/{}", ns, name);
}

}  // namespace

Result<void> Mirror::Take(const wire::Objects& objects) {
  const std::unique_lock lock(reading_);
  cluster_.CatchUpTo(objects.cycles());
  for (const wire::Change& change : objects.changes()) BERTH_RETURN_IF_ERROR(Take(change));
  return {};
}

Result<void> Mirror::Take(const wire::Change& change) {
  switch (change.change_case()) {
    case wire::Change::kNode: return TakeNode(change.node());
    case wire::Change::kNodeGone: return TakeNodeGone(change.node_gone());
    case wire::Change::kPod: return TakePod(change.pod());
    case wire::Change::kPodGone: ForgetPod(change.pod_gone()); return {};
    case wire::Change::kPlaced: return TakePlaced(change.placed());
    case wire::Change::kUnplaced: return TakeUnplaced(change.unplaced());
    case wire::Change::kObject: {
      BERTH_ASSIGN_OR_RETURN(const api::Object object, Read(change.object()));
      cluster_.SetObject(object);
      return {};
    }
    case wire::Change::kObjectGone: {
      const wire::ObjectGone& gone = change.object_gone();
      cluster_.RemoveObject(gone.kind(), KeyOf(gone.namespace_(), gone.name()));
      return {};
    }
    case wire::Change::kNominated: return TakeNominated(change.nominated());
    case wire::Change::kImage: return TakeImage(change.image());
    case wire::Change::CHANGE_NOT_SET: return {};  // of a later minor version
  }
  return {};
}

Result<api::Object> Mirror::Read(const wire::Object& object) {
  const std::string what = fmt::format("{} {}", object.kind(), KeyOf(object.namespace_(), object.name()));
  BERTH_ASSIGN_OR_RETURN(const api::Value document, ReadDocument(object.document(), what));
  api::DecodeErrors errors;
  api::Object read;
  if (object.kind() == api::KindOf<api::Pod>()) {
    read = std::make_shared<const api::Pod>(api::DecodeStoredPod(document, errors));
  } else {
    const std::array<std::string, 1> custom = {object.kind()};
    read = api::IsSchedulingKind(object.kind()) ? api::DecodeObject(document, errors)
                                                : api::DecodeObject(document, custom, errors);
  }
  if (!errors.empty()) return InvalidError(errors.Text(what));
  return read;
}

Result<void> Mirror::TakeNode(const wire::Node& node) {
  BERTH_ASSIGN_OR_RETURN(const api::Value document, ReadDocument(node.document(), node.name()));
  api::DecodeErrors errors;
  auto read = std::make_shared<const api::Node>(api::Decode<api::Node>(document, errors));
  if (!errors.empty()) return InvalidError(errors.Text(node.name()));
  const NodeId id = node.id();
  const NodeId known = cluster_.FindNode(read->meta.name);
  const bool is_taken = id < cluster_.node_slots() && cluster_.live_nodes().Test(id);
  if (id >= kMostNodes || (known == kNoNode ? is_taken : known != id)) {
    return InvalidError(fmt::format("node {} cannot have the number {}", read->meta.name, id));
  }
  cluster_.SetNode(std::move(read), id);
  return {};
}

Result<void> Mirror::TakeNodeGone(uint32_t id) {
  if (id >= cluster_.node_slots() || !cluster_.live_nodes().Test(id)) {
    return InvalidError(fmt::format("node {} goes, but was not there", id));
  }
  cluster_.RemoveNode(cluster_.node(id).name());
  return {};
}

Result<void> Mirror::TakePod(const wire::Pod& pod) {
  const std::string what = fmt::format("pod {}", KeyOf(pod.namespace_(), pod.name()));
  BERTH_ASSIGN_OR_RETURN(const api::Value document, ReadDocument(pod.document(), what));
  api::DecodeErrors errors;
  api::Pod read = api::DecodeStoredPod(document, errors);
  if (!errors.empty()) return InvalidError(errors.Text(what));
  if (pod.class_id() != 0) {
    std::weak_ptr<const api::PodSpec>& shared = spec_of_class_[pod.class_id()];
    if (auto spec = shared.lock()) {
      read.spec = std::move(spec);
    } else {
      shared = read.spec;
    }
  }
  Pod& known = pods_[pod.id()];
  if (known.info != nullptr) {
    id_of_uid_.erase(framework::PodUid(*known.info->pod));
    id_of_key_.erase(known.info->pod->meta.Key());
  }
  known.info = classes_.InfoOf(std::make_shared<const api::Pod>(std::move(read)), known.info.get());
  known.class_id = pod.class_id();
  id_of_uid_[framework::PodUid(*known.info->pod)] = pod.id();
  id_of_key_[known.info->pod->meta.Key()] = pod.id();
  if (!known.node.empty()) cluster_.PlacePod(known.info, known.node);
  return {};
}

void Mirror::ForgetPod(uint64_t id) {
  const auto it = pods_.find(id);
  if (it == pods_.end()) return;
  Pod pod = std::move(it->second);
  pods_.erase(it);
  const std::string_view uid = framework::PodUid(*pod.info->pod);
  if (!pod.node.empty()) cluster_.RemovePod(uid);
  nominations_.Remove(uid);
  id_of_uid_.erase(uid);
  if (const auto named = id_of_key_.find(pod.info->pod->meta.Key()); named != id_of_key_.end() && named->second == id) {
    id_of_key_.erase(named);
  }
  pod.info.reset();
  if (const auto shared = spec_of_class_.find(pod.class_id);
      shared != spec_of_class_.end() && shared->second.expired()) {
    spec_of_class_.erase(shared);
  }
}

Result<void> Mirror::TakePlaced(const wire::Placed& placed) {
  const auto it = pods_.find(placed.pod());
  const NodeId id = placed.node();
  if (it == pods_.end() || id >= cluster_.node_slots() || !cluster_.live_nodes().Test(id)) {
    return InvalidError(fmt::format("pod {} comes to node {}, one of which is unknown", placed.pod(), id));
  }
  it->second.node = cluster_.node(id).name();
  cluster_.PlacePod(it->second.info, it->second.node);
  return {};
}

Result<void> Mirror::TakeUnplaced(uint64_t id) {
  const auto it = pods_.find(id);
  if (it == pods_.end()) return InvalidError(fmt::format("pod {} leaves its node, but is unknown", id));
  it->second.node.clear();
  cluster_.RemovePod(framework::PodUid(*it->second.info->pod));
  return {};
}

Result<void> Mirror::TakeNominated(const wire::Nominated& nominated) {
  const auto it = pods_.find(nominated.pod());
  if (it == pods_.end()) return InvalidError(fmt::format("unknown pod {} is nominated", nominated.pod()));
  if (nominated.node().empty()) {
    nominations_.Remove(framework::PodUid(*it->second.info->pod));
  } else {
    nominations_.Add(it->second.info, nominated.node());
  }
  return {};
}

Result<void> Mirror::TakeImage(const wire::Image& image) {
  std::vector<framework::ImageState::Spread> history;
  for (const wire::Image::Spread& spread : image.history()) history.push_back({spread.cycle(), spread.nodes()});
  if (cluster_.RestateImage(image.name(), image.size_bytes(), std::move(history))) return {};
  return InvalidError(fmt::format("other nodes hold the image {} than were told to", image.name()));
}

PodInfoPtr Mirror::FindPod(uint64_t id) const {
  const auto it = pods_.find(id);
  return it == pods_.end() ? nullptr : it->second.info;
}

uint64_t Mirror::IdOf(std::string_view uid) const {
  const std::shared_lock lock(reading_);
  const auto it = id_of_uid_.find(uid);
  return it == id_of_uid_.end() ? 0 : it->second;
}

std::optional<api::Object> Mirror::Find(const framework::ObjectKey& key) const {
  const std::shared_lock lock(reading_);
  const std::string name = KeyOf(key.namespace_, key.name);
  if (key.kind == api::KindOf<api::Pod>()) {
    const auto it = id_of_key_.find(name);
    if (it == id_of_key_.end()) return std::nullopt;
    return pods_.at(it->second).info->pod;
  }
  if (key.kind == api::KindOf<api::Node>()) {
    const NodeId id = cluster_.FindNode(name);
    if (id == kNoNode) return std::nullopt;
    return cluster_.node(id).node;
  }
  return cluster_.FindObject(key.kind, name);
}

}  // namespace berth::plugin_host
