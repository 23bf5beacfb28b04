// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"
#include "base/result.h"
#include "simulator/scenario/scenario.h"

#include <span>
#include <string>
#include <string_view>

namespace berth::simulator {

inline constexpr std::string_view kScenarioKind = "Scenario";
inline constexpr std::string_view kScenarioVersion = "berth/v1alpha1";

// Returns whether a document is meant as a scenario, of any version.
bool IsScenario(const api::Value& document);

// Decodes a scenario strictly: unknown fields, names that do not exist and impossible times are errors. The error has a
// line for each: "source:line:column: path: why". Objects may also be of these custom kinds.
Result<Scenario> DecodeScenario(const api::Document& document, std::span<const std::string> custom_kinds = {});

}  // namespace berth::simulator
