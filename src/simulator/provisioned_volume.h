// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/node_selector.h"
#include "api/storage.h"
#include "api/value.h"

#include <optional>
#include <string>

// The volumes of a simulated provisioner.
namespace berth::simulator {

bool HasProvisioner(const api::StorageClass& storage_class);

// Returns whether the class's allowedTopologies, if any, include the node.
bool Allows(const api::StorageClass& storage_class, const api::Node& node);

// The nodes that can access a volume provisioned for this node: those with the same values of the topology keys of the
// driver, from the node's CSINode (which may be null), or else of the class. All nodes when neither names any keys.
std::optional<api::NodeSelector> ReachedLike(const api::StorageClass& storage_class, const api::Node& node,
                                             const api::CsiNode* csi_node);
// The same for a volume provisioned for no particular node: the first topology the class allows.
std::optional<api::NodeSelector> FirstAllowed(const api::StorageClass& storage_class);

// A volume provisioned for the claim, and bound to it.
api::Value ProvisionedVolume(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                             const std::optional<api::NodeSelector>& reached, const std::string& reclaim_policy);

}  // namespace berth::simulator
