// SPDX-License-Identifier: Apache-2.0
#include "plugin_check/random_objects.h"

#include "conformance/cluster_shape.h"
#include "conformance/dice.h"
#include "conformance/random_node.h"
#include "conformance/random_parts.h"
#include "conformance/random_pod.h"
#include "conformance/random_storage.h"
#include "conformance/random_workloads.h"

#include <string>
#include <utility>

#include <fmt/format.h>

namespace berth::plugin_check {

using conformance::Dice;

std::vector<api::Object> RandomObjects(const RandomObjectsOptions& options) {
  Dice dice(options.seed);
  conformance::ClusterShape shape;
  shape.nodes = options.nodes;
  shape.pods = options.nodes * options.pods_per_node;
  shape.room = 0.5;
  shape.oddities = false;
  shape.stored = true;
  std::vector<api::Object> objects;
  for (const std::string& name : conformance::RandomNamespaces()) {
    objects.push_back(conformance::RandomNamespace(dice, name));
  }
  for (api::Object& object : conformance::RandomOwners(dice)) objects.push_back(std::move(object));
  for (api::Object& object : conformance::RandomStorage(dice, shape)) objects.push_back(std::move(object));
  std::vector<std::string> nodes;
  for (size_t i = 0; i < options.nodes; ++i) {
    nodes.push_back(fmt::format("node-{:03}", i));
    objects.emplace_back(conformance::RandomNode(dice, shape, nodes.back()));
  }
  for (size_t i = 0; i < shape.pods; ++i) {
    const std::string name = fmt::format("running-{:04}", i);
    objects.emplace_back(conformance::RandomRunningPod(dice, shape, {name, "uid-" + name}, dice.OneOf(nodes)));
  }
  for (size_t i = 0; i < options.pods; ++i) {
    const std::string name = fmt::format("pod-{:04}", i);
    objects.emplace_back(conformance::RandomPendingPod(dice, shape, {name, "uid-" + name}));
  }
  return objects;
}

}  // namespace berth::plugin_check
