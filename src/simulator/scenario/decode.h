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

// Whether a document wants to be a scenario, of whatever version.
bool IsScenario(const api::Value& document);

// Reads a scenario strictly: fields nobody knows, names that do not exist and times that cannot be are errors. The
// error has a line for each: "source:line:column: path: why". Its events may be about objects of these custom kinds.
Result<Scenario> DecodeScenario(const api::Document& document, std::span<const std::string> custom_kinds = {});

}  // namespace berth::simulator
