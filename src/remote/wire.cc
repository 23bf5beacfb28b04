// SPDX-License-Identifier: Apache-2.0
#include "remote/wire.h"

#include "api/document.h"
#include "api/encode.h"
#include "api/whole_document.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace berth::remote {
namespace {

using framework::ClusterEvent;
using framework::Code;
using framework::EventResource;
using framework::ExtensionPoint;
using framework::Status;

// Words lie in memory as the contract numbers bits.
static_assert(std::endian::native == std::endian::little);

// The contract numbers codes as the framework does.
static_assert(static_cast<int>(Code::Success) == wire::SUCCESS && static_cast<int>(Code::Error) == wire::ERROR &&
              static_cast<int>(Code::Unschedulable) == wire::UNSCHEDULABLE &&
              static_cast<int>(Code::UnschedulableAndUnresolvable) == wire::UNSCHEDULABLE_AND_UNRESOLVABLE &&
              static_cast<int>(Code::Wait) == wire::WAIT && static_cast<int>(Code::Skip) == wire::SKIP &&
              static_cast<int>(Code::Pending) == wire::PENDING);

struct NamedResource {
  std::string_view name;
  EventResource resource;
};
constexpr std::array<NamedResource, 16> kResources = {{
    {"Pod", EventResource::Pod},
    {"AssignedPod", EventResource::AssignedPod},
    {"UnschedulablePod", EventResource::UnschedulablePod},
    {"Node", EventResource::Node},
    {"PersistentVolume", EventResource::PersistentVolume},
    {"PersistentVolumeClaim", EventResource::PersistentVolumeClaim},
    {"CSINode", EventResource::CsiNode},
    {"CSIDriver", EventResource::CsiDriver},
    {"VolumeAttachment", EventResource::VolumeAttachment},
    {"CSIStorageCapacity", EventResource::CsiStorageCapacity},
    {"StorageClass", EventResource::StorageClass},
    {"ResourceClaim", EventResource::ResourceClaim},
    {"ResourceSlice", EventResource::ResourceSlice},
    {"DeviceClass", EventResource::DeviceClass},
    {"PodGroup", EventResource::PodGroup},
    {"*", EventResource::WildCard},
}};

}  // namespace

wire::Status ToWire(const Status& status) {
  wire::Status written;
  written.set_code(static_cast<wire::Code>(status.code()));
  for (const std::string& reason : status.reasons()) written.add_reasons(reason);
  return written;
}

wire::Status ToWireWithPlugin(const Status& status) {
  wire::Status written = ToWire(status);
  written.set_plugin(std::string(status.plugin()));
  return written;
}

std::optional<Status> FromWire(const wire::Status& status) {
  if (!wire::Code_IsValid(status.code())) return std::nullopt;
  if (status.code() == wire::SUCCESS) return Status::Success();
  Status read(static_cast<Code>(status.code()), {status.reasons().begin(), status.reasons().end()});
  return status.plugin().empty() ? read : read.By(status.plugin());
}

wire::NodeSet ToWire(const Bitset& nodes) {
  wire::NodeSet set;
  size_t words = nodes.words().size();
  while (words > 0 && nodes.words()[words - 1] == 0) --words;
  set.mutable_bits()->assign(reinterpret_cast<const char*>(nodes.words().data()), words * sizeof(Bitset::Word));
  return set;
}

std::optional<Bitset> FromWire(const wire::NodeSet& nodes, size_t slots) {
  const std::string& bits = nodes.bits();
  Bitset whole(std::max(slots, bits.size() * 8));
  if (!bits.empty()) std::memcpy(whole.mutable_words().data(), bits.data(), bits.size());
  if (whole.size() == slots) return whole;
  const size_t members = whole.Count();
  whole.Resize(slots);
  if (whole.Count() != members) return std::nullopt;
  return whole;
}

wire::Point ToWire(ExtensionPoint point) {
  switch (point) {
    case ExtensionPoint::PreEnqueue: return wire::PRE_ENQUEUE;
    case ExtensionPoint::QueueSort: return wire::QUEUE_SORT;
    case ExtensionPoint::PreFilter: return wire::PRE_FILTER;
    case ExtensionPoint::Filter: return wire::FILTER;
    case ExtensionPoint::PostFilter: return wire::POST_FILTER;
    case ExtensionPoint::PreScore: return wire::PRE_SCORE;
    case ExtensionPoint::Score: return wire::SCORE;
    case ExtensionPoint::Reserve: return wire::RESERVE;
    case ExtensionPoint::Permit: return wire::PERMIT;
    case ExtensionPoint::PreBind: return wire::PRE_BIND;
    case ExtensionPoint::Bind: return wire::BIND;
    case ExtensionPoint::PostBind: return wire::POST_BIND;
  }
  return wire::POINT_UNKNOWN;
}

std::string ResourceOf(const ClusterEvent& event) {
  if (event.resource == EventResource::Custom) return std::string(event.kind);
  return std::string(std::ranges::find(kResources, event.resource, &NamedResource::resource)->name);
}

std::optional<ClusterEvent> EventOf(std::string_view name, uint32_t actions) {
  const auto it = std::ranges::find(kResources, name, &NamedResource::name);
  if (it != kResources.end()) return ClusterEvent{.resource = it->resource, .actions = actions};
  if (!api::IsCustomKind(name)) return std::nullopt;
  return ClusterEvent{.resource = EventResource::Custom, .actions = actions, .kind = name};
}

std::string DocumentOf(const api::Object& object, bool whole) {
  if (whole) {
    if (const auto* pod = std::get_if<api::PodPtr>(&object)) return *api::WholeDocument(*pod);
    if (const auto* node = std::get_if<api::NodePtr>(&object)) return *api::WholeDocument(*node);
  }
  return api::ToJson(api::Encode(object));
}

wire::Object ToWire(const api::Object& object, bool whole) {
  wire::Object written;
  const api::ObjectMeta& meta = api::MetaOf(object);
  written.set_kind(std::string(api::KindOf(object)));
  written.set_namespace_(meta.namespace_);
  written.set_name(meta.name);
  written.set_document(DocumentOf(object, whole));
  return written;
}

}  // namespace berth::remote
