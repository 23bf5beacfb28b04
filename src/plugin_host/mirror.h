// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/mutex.h"
#include "base/result.h"
#include "cluster/cluster_state.h"
#include "features/feature_gates.h"
#include "framework/object_reader.h"
#include "framework/pod_classes.h"
#include "plugin_host/mirrored_nominations.h"

#include <berth/plugin/v1/plugin.pb.h>
#include <cstdint>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace berth::plugin_host {

// The cluster as a scheduler tells it, with nodes under the scheduler's numbers. One thread, except where something
// else is said.
class Mirror final : public framework::ObjectReader {
 public:
  explicit Mirror(const features::FeatureGates& gates) : classes_(names_, framework::PodRules::From(gates)) {}

  // Takes changes in. An error says what makes no sense; the mirror is of no use afterwards.
  Result<void> Take(const plugin::v1::Objects& objects);

  cluster::ClusterState& cluster() { return cluster_; }
  const cluster::ClusterState& cluster() const { return cluster_; }
  framework::ResourceNames& resource_names() { return names_; }
  MirroredNominations& nominations() { return nominations_; }
  // Null when it was not told, or is gone.
  framework::PodInfoPtr FindPod(uint64_t id) const;
  // 0 when the pod is unknown. Any thread.
  uint64_t IdOf(std::string_view uid) const;

  // An object of a call, or of a change, by its document.
  static Result<api::Object> Read(const plugin::v1::Object& object);

  // framework::ObjectReader: any thread.
  std::optional<api::Object> Find(const framework::ObjectKey& key) const override;

 private:
  struct Pod {
    framework::PodInfoPtr info;
    uint64_t class_id = 0;
    std::string node;  // it counts as on
  };

  Result<void> Take(const plugin::v1::Change& change);
  Result<void> TakeNode(const plugin::v1::Node& node);
  Result<void> TakeNodeGone(uint32_t id);
  Result<void> TakePod(const plugin::v1::Pod& pod);
  void ForgetPod(uint64_t id);
  Result<void> TakePlaced(const plugin::v1::Placed& placed);
  Result<void> TakeUnplaced(uint64_t id);
  Result<void> TakeImage(const plugin::v1::Image& image);
  Result<void> TakeNominated(const plugin::v1::Nominated& nominated);

  framework::ResourceNames names_;
  framework::PodClasses classes_;
  cluster::ClusterState cluster_{names_};
  MirroredNominations nominations_;
  std::unordered_map<uint64_t, Pod> pods_;
  std::unordered_map<std::string_view, uint64_t> id_of_uid_;                       // by the uid inside the pod
  std::unordered_map<std::string, uint64_t> id_of_key_;                            // by namespace/name
  std::unordered_map<uint64_t, std::weak_ptr<const api::PodSpec>> spec_of_class_;  // pods of a class share theirs
  mutable std::shared_mutex reading_;  // held while anything changes, and by Find
};

}  // namespace berth::plugin_host
