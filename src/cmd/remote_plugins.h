// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/whole_document.h"
#include "config/profile_plan.h"
#include "framework/registry.h"

#include <vector>

namespace berth::cmd {

// The program's plugins; configurations may bring others along that run in other processes.
framework::Registry WithRemotePlugins(const framework::Registry& program);

// What a home keeps for the plugins of these profiles.
api::KeptDocuments DocumentsForPlugins(const std::vector<config::ProfilePlan>& plans);

}  // namespace berth::cmd
