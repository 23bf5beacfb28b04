// SPDX-License-Identifier: Apache-2.0
#include "conformance/random_node.h"

#include "conformance/random_parts.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::conformance {
namespace {

using api::TaintEffect;

void AddLabels(Dice& dice, const std::string& name, api::Labels& labels) {
  if (dice.Chance(0.95)) labels.Set(kHostname, name);
  if (dice.Chance(0.9)) {
    labels.Set(kZone, dice.Pick({"z0", "z1", "z2"}));
    labels.Set(kRegion, "r1");
  }
  if (dice.Chance(0.5)) labels.Set("disk", dice.Pick({"ssd", "hdd", "nvme"}));
  if (dice.Chance(0.4)) labels.Set("cores", dice.Pick({"4", "8", "16", "-3", "x8", "007"}));
  if (dice.Chance(0.3)) labels.Set("pool", dice.Pick({"a", "b", ""}));
  if (dice.Chance(0.4)) labels.Set("rack", dice.Pick({"k0", "k1", "k2", "k3"}));
}

void AddAmounts(Dice& dice, const ClusterShape& shape, api::ResourceList& allocatable) {
  const auto set = [&](std::string_view resource, const std::string& amount) {
    const bool nothing = shape.zero_amounts && dice.Chance(0.2);
    allocatable.Set(resource, Amount(nothing ? "0" : amount));
  };
  set("cpu", dice.Pick({"4", "2", "8", "3920m", "1500m", "16", "0.5"}));
  set("memory", dice.Pick({"8Gi", "4Gi", "16Gi", "7500Mi", "3G", "1.5Gi", "8053063680"}));
  const bool roomy = dice.Chance(shape.room);
  if (roomy) {
    set("cpu", dice.Pick({"6", "10", "16", "32"}));
    set("memory", dice.Pick({"12Gi", "32Gi", "64Gi", "128G"}));
  }
  if (shape.huge_amounts && dice.Chance(0.5)) {
    set("cpu", dice.Pick({"70368744178", "70368744177664m", "50000000000001", "4"}));
    set("memory", dice.Pick({"64Ti", "70368744177665", "50Pi", "63Ti", "33554433Gi"}));
  }
  set("pods", roomy ? dice.Pick({"110", "110", "20", "8"}) : dice.Pick({"110", "110", "10", "4", "2"}));
  if (dice.Chance(0.6 * shape.resources)) set("ephemeral-storage", dice.Pick({"100Gi", "20G", "1Ti"}));
  if (dice.Chance(0.5 * shape.resources)) set("example.com/gpu", dice.Pick({"1", "2", "8"}));
  if (dice.Chance(0.4 * shape.resources)) set("hugepages-2Mi", dice.Pick({"128Mi", "1Gi", "0"}));
  if (dice.Chance(0.3 * shape.resources)) set("vendor.io/fpga", dice.Pick({"0", "4"}));
  for (size_t i = 0; i < shape.extra_resources; ++i) {
    if (dice.Chance(0.8)) set(ExtraResource(i), dice.Pick({"1", "4", "16"}));
  }
}

void AddTaints(Dice& dice, std::vector<api::Taint>& taints) {
  for (size_t i = 0; i <= dice.Below(3); ++i) {
    api::Taint taint{dice.Pick({"dedicated", "gpu", "spot", "node.kubernetes.io/not-ready"}),
                     dice.Pick({"", "x", "y", "3"}),
                     dice.PickOf({TaintEffect::NoSchedule, TaintEffect::PreferNoSchedule, TaintEffect::PreferNoSchedule,
                                  TaintEffect::NoExecute})};
    const bool known = std::any_of(taints.begin(), taints.end(), [&](const api::Taint& other) {
      return other.key == taint.key && other.effect == taint.effect;
    });
    if (!known) taints.push_back(std::move(taint));
  }
}

void AddImages(Dice& dice, std::vector<api::ContainerImage>& images) {
  for (size_t i = dice.Below(5); i > 0; --i) {
    const std::string image = RandomImage(dice);
    const int64_t mebibytes = dice.PickOf<int64_t>({5, 22, 23, 24, 90, 300, 777, 1400, 2600});
    images.push_back({{image, image + "@sha256:00"}, mebibytes * 1024 * 1024});
  }
}

}  // namespace

std::string ExtraResource(size_t i) { return fmt::format("extra.example.com/r{}", i); }

api::NodePtr RandomNode(Dice& dice, const ClusterShape& shape, const std::string& name) {
  auto node = std::make_shared<api::Node>();
  node->meta.name = name;
  AddLabels(dice, name, node->meta.labels);
  AddAmounts(dice, shape, node->allocatable);
  node->unschedulable = dice.Chance(0.08);
  if (dice.Chance(0.7 * shape.taints)) AddTaints(dice, node->taints);
  if (dice.Chance(shape.images)) AddImages(dice, node->images);
  if (dice.Chance(shape.features)) {
    for (const char* feature :
         {"GuaranteedQoSPodCPUResize", "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"}) {
      if (dice.Chance(0.5)) node->declared_features.emplace_back(feature);
    }
  }
  return node;
}

}  // namespace berth::conformance
