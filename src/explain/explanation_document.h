// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "explain/explanation.h"

#include <string>

namespace berth::explain {

inline constexpr std::string_view kReportVersion = "berth/v1alpha1";

// {apiVersion: berth/v1alpha1, kind: Explanation, …}; docs/cli.md describes the fields. With `node`, the answer for
// that node comes first.
api::Value ExplanationDocument(const Explanation& explanation, const std::string& node = {});

api::Value StringList(const std::vector<std::string>& texts);

}  // namespace berth::explain
