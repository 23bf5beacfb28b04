// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/node.h"
#include "api/node_selector.h"
#include "api/storage.h"
#include "api/value.h"

#include <optional>
#include <string>

// The volumes that a simulated provisioner makes.
namespace berth::simulator {

bool HasProvisioner(const api::StorageClass& storage_class);

// Whether the class's topologies, if it has any, have the node in them.
bool Allows(const api::StorageClass& storage_class, const api::Node& node);

// From where a volume made for the node can be reached: from nodes that are like it in the labels that the driver goes
// by, as the node's CSINode tells (it may be null), or else the class's topologies. Everywhere when neither names any.
std::optional<api::NodeSelector> ReachedLike(const api::StorageClass& storage_class, const api::Node& node,
                                             const api::CsiNode* csi_node);
// The same for a volume that is made for no node in particular: the first place the class allows.
std::optional<api::NodeSelector> FirstAllowed(const api::StorageClass& storage_class);

// A volume made for the claim, and bound to it.
api::Value ProvisionedVolume(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                             const std::optional<api::NodeSelector>& reached, const std::string& reclaim_policy);

}  // namespace berth::simulator
