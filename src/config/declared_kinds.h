// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "config/profile_plan.h"
#include "framework/registry.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace berth::config {

// The kinds that the plugins of these plans declare to read, sorted, each once; pods and nodes need not be declared.
// Fails when a name is neither that of a known kind nor that of a custom kind with its group. Known without building
// any plugin, so that files can be read accordingly.
Result<std::vector<std::string>> DeclaredKinds(std::span<const ProfilePlan> plans, const framework::Registry& registry);

// Those of them that Berth has no type for.
Result<std::vector<std::string>> DeclaredCustomKinds(std::span<const ProfilePlan> plans,
                                                     const framework::Registry& registry);

// Why a plugin cannot read such a kind; empty when it can.
std::string WhyNoKind(std::string_view kind);

}  // namespace berth::config
