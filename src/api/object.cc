// SPDX-License-Identifier: Apache-2.0
#include "api/object.h"

#include <fmt/format.h>

namespace berth::api {
namespace {

struct KindName {
  std::string_view kind;
  std::string_view group;  // of the API; empty for the core group
};

template <typename T>
constexpr KindName kName = {};
template <>
constexpr KindName kName<Pod> = {"Pod", ""};
template <>
constexpr KindName kName<Node> = {"Node", ""};
template <>
constexpr KindName kName<Namespace> = {"Namespace", ""};
template <>
constexpr KindName kName<Service> = {"Service", ""};
template <>
constexpr KindName kName<ReplicationController> = {"ReplicationController", ""};
template <>
constexpr KindName kName<ReplicaSet> = {"ReplicaSet", "apps"};
template <>
constexpr KindName kName<StatefulSet> = {"StatefulSet", "apps"};
template <>
constexpr KindName kName<PodDisruptionBudget> = {"PodDisruptionBudget", "policy"};
template <>
constexpr KindName kName<PriorityClass> = {"PriorityClass", "scheduling.k8s.io"};
template <>
constexpr KindName kName<PersistentVolume> = {"PersistentVolume", ""};
template <>
constexpr KindName kName<PersistentVolumeClaim> = {"PersistentVolumeClaim", ""};
template <>
constexpr KindName kName<StorageClass> = {"StorageClass", "storage.k8s.io"};
template <>
constexpr KindName kName<CsiNode> = {"CSINode", "storage.k8s.io"};
template <>
constexpr KindName kName<CsiDriver> = {"CSIDriver", "storage.k8s.io"};
template <>
constexpr KindName kName<CsiStorageCapacity> = {"CSIStorageCapacity", "storage.k8s.io"};
template <>
constexpr KindName kName<VolumeAttachment> = {"VolumeAttachment", "storage.k8s.io"};

// Calls f<T>() for the kinds of Object until one returns true.
template <typename... Ts, typename F>
bool AnyKind(std::type_identity<AnyOf<Ts...>> /*kinds*/, F&& f) {
  return (f.template operator()<Ts>() || ...);
}

template <typename F>
bool AnyKind(F&& f) {
  return AnyKind(std::type_identity<Object>(), std::forward<F>(f));
}

}  // namespace

template <typename T>
std::string_view KindOf() {
  return kName<T>.kind;
}

template std::string_view KindOf<Pod>();
template std::string_view KindOf<Node>();
template std::string_view KindOf<Namespace>();
template std::string_view KindOf<Service>();
template std::string_view KindOf<ReplicationController>();
template std::string_view KindOf<ReplicaSet>();
template std::string_view KindOf<StatefulSet>();
template std::string_view KindOf<PodDisruptionBudget>();
template std::string_view KindOf<PriorityClass>();
template std::string_view KindOf<PersistentVolume>();
template std::string_view KindOf<PersistentVolumeClaim>();
template std::string_view KindOf<StorageClass>();
template std::string_view KindOf<CsiNode>();
template std::string_view KindOf<CsiDriver>();
template std::string_view KindOf<CsiStorageCapacity>();
template std::string_view KindOf<VolumeAttachment>();

const ObjectMeta& MetaOf(const Object& object) {
  return std::visit([](const auto& pointer) -> const ObjectMeta& { return pointer->meta; }, object);
}

std::string_view KindOf(const Object& object) {
  return std::visit([]<typename T>(const std::shared_ptr<const T>& /*pointer*/) { return kName<T>.kind; }, object);
}

std::string ApiVersionOf(const Object& object) {
  return std::visit(
      []<typename T>(const std::shared_ptr<const T>& /*pointer*/) {
        return kName<T>.group.empty() ? std::string("v1") : fmt::format("{}/v1", kName<T>.group);
      },
      object);
}

std::vector<std::string> SchedulingKinds() {
  std::vector<std::string> kinds;
  AnyKind([&]<typename T>() {
    kinds.emplace_back(kName<T>.kind);
    return false;
  });
  return kinds;
}

Object WithIdentity(const Object& object, std::string_view uid, std::string_view resource_version) {
  return std::visit(
      [&]<typename T>(const std::shared_ptr<const T>& typed) -> Object {
        T copy = *typed;
        if (!uid.empty()) copy.meta.uid = uid;
        copy.meta.resource_version = resource_version;
        return std::make_shared<const T>(std::move(copy));
      },
      object);
}

bool IsSchedulingKind(std::string_view kind) {
  return AnyKind([&]<typename T>() { return kName<T>.kind == kind; });
}

bool IsSchedulingKind(std::string_view api_version, std::string_view kind) {
  const size_t slash = api_version.find('/');
  const std::string_view group = slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  return AnyKind(
      [&]<typename T>() { return kName<T>.kind == kind && (api_version.empty() || kName<T>.group == group); });
}

Object DecodeObject(const Value& document, DecodeErrors& errors) {
  const Value* kind = document.Find("kind");
  Object object;
  const bool known = kind != nullptr && AnyKind([&]<typename T>() {
                       if (kName<T>.kind != kind->text()) return false;
                       object = std::make_shared<const T>(Decode<T>(document, errors));
                       return true;
                     });
  if (!known) {
    errors.Add("kind", kind != nullptr ? kind->position() : document.position(),
               kind != nullptr ? fmt::format("\"{}\" is not a kind that scheduling reads", kind->text())
                               : std::string("a kind is required"));
  }
  return object;
}

}  // namespace berth::api
