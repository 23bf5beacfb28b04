// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::kube::proto {

// An object, a list or a watch that Kubernetes' own code wrote in both forms; tests/kubernetes/fixtures makes them.
struct Fixture {
  std::string name;
  std::string form;
  api::Value json;
  std::string proto;
};

// Those of one form: object, list or watch. BERTH_PROTO_FIXTURES names another file than the one in the tree: one with
// many random objects.
std::vector<Fixture> ReadFixtures(std::string_view form);

}  // namespace berth::kube::proto
