// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/value.h"
#include "config/fields/field_errors.h"

#include <cstdint>
#include <string>
#include <vector>

// Parts of arguments that several plugins take.
namespace berth::plugins::node_resources {

struct ResourceWeight {
  std::string name;
  int64_t weight = 1;
  friend bool operator==(const ResourceWeight&, const ResourceWeight&) = default;
};

// A point of a piecewise linear function from utilisation (0..100) to score (0..10).
struct UtilizationShapePoint {
  int32_t utilization = 0;
  int32_t score = 0;
};

// "resources". An absent or empty list leaves `resources` as it is; a weight of zero means one.
void DecodeResources(api::FieldReader& reader, std::vector<ResourceWeight>& resources);
api::Value EncodeResources(const std::vector<ResourceWeight>& resources);

// "shape"; empty when absent.
std::vector<UtilizationShapePoint> DecodeShape(api::FieldReader& reader);
api::Value EncodeShape(const std::vector<UtilizationShapePoint>& shape);
void CheckShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path, config::Messages& messages);

}  // namespace berth::plugins::node_resources
