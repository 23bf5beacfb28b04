// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/pod.h"

#include <vector>

namespace berth::api {

// The `conditions` of a pod's or a node's status.
inline std::vector<Condition> DecodeConditions(FieldReader& status) {
  std::vector<Condition> conditions;
  status.ForEach("conditions", [&](FieldReader& r) {
    conditions.push_back({r.String("type"), r.String("status"), r.String("reason"), r.String("message")});
  });
  return conditions;
}

}  // namespace berth::api
