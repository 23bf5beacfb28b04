// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "base/bitset.h"
#include "framework/cluster_event.h"
#include "framework/extension_point.h"
#include "framework/status.h"

#include <berth/plugin/v1/plugin.pb.h>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// Berth's types in the contract's messages, and back.
namespace berth::remote {

namespace wire = plugin::v1;

// The version of the contract that this program speaks.
inline constexpr uint32_t kMajor = 1;
inline constexpr uint32_t kMinor = 0;

wire::Status ToWire(const framework::Status& status);
// With the plugin that gave the verdict, where somebody else passes it on.
wire::Status ToWireWithPlugin(const framework::Status& status);
// Nothing when the code is unknown.
std::optional<framework::Status> FromWire(const wire::Status& status);

wire::NodeSet ToWire(const Bitset& nodes);
// A set of `slots` nodes; nothing when there are others in it.
std::optional<Bitset> FromWire(const wire::NodeSet& nodes, size_t slots);

wire::Point ToWire(framework::ExtensionPoint point);

// "Node", "AssignedPod", "*", "Tenant.example.com": what an event is about.
std::string ResourceOf(const framework::ClusterEvent& event);
// Nothing when there is no such resource. `name` outlives the event.
std::optional<framework::ClusterEvent> EventOf(std::string_view name, uint32_t actions);

// The object as the contract tells it: what scheduling reads of it or, if it is to be whole and its home's text was
// kept, all that its home has.
std::string DocumentOf(const api::Object& object, bool whole = false);
wire::Object ToWire(const api::Object& object, bool whole = false);  // with its document

}  // namespace berth::remote
