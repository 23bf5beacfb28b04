// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"

#include <string>
#include <string_view>

namespace berth::api {

// What a plain YAML scalar means by the YAML 1.1 rules that Kubernetes tools apply: "yes" is true, 0x1F is 31, 1_000 is
// 1000. Numbers come out in the spelling JSON would give them. Fails on infinities and NaN, which JSON cannot hold.
Result<Value> ResolvePlainScalar(const std::string& text, Position at);

// The same for a scalar with an explicit tag in its long form ("tag:yaml.org,2002:int").
Result<Value> ResolveTaggedScalar(std::string_view tag, const std::string& text, Position at);

}  // namespace berth::api
