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

// The kinds that the plugins of these plans declare, sorted, without duplicates; Pod and Node need not be declared.
// Fails when a name is neither a known kind nor a custom kind with its group. Needs no built plugins, because files are
// read before plugins are built.
Result<std::vector<std::string>> DeclaredKinds(std::span<const ProfilePlan> plans, const framework::Registry& registry);

// Of these, the kinds that Berth has no type for.
Result<std::vector<std::string>> DeclaredCustomKinds(std::span<const ProfilePlan> plans,
                                                     const framework::Registry& registry);

// Returns why this is no name of a kind; empty when it is one.
std::string WhyNoKind(std::string_view kind);

}  // namespace berth::config
