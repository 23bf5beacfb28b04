// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "explain/explanation.h"

#include <string>

namespace berth::explain {

// {apiVersion: berth/v1alpha1, kind: Explanation, …}; docs/cli.md describes the fields. With `node`, the answer for
// that node comes first.
api::Value ExplanationDocument(const Explanation& explanation, const std::string& node = {});

}  // namespace berth::explain
