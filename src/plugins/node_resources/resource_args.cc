// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources/resource_args.h"

namespace berth::plugins::node_resources {

using api::FieldReader;
using api::Value;
using config::Child;
using config::Index;
using config::Invalid;

void DecodeResources(FieldReader& reader, std::vector<ResourceWeight>& resources) {
  std::vector<ResourceWeight> read;
  reader.ForEach("resources", [&](FieldReader& map) {
    const int64_t weight = map.Int64("weight").value_or(0);
    read.push_back({map.String("name"), weight == 0 ? 1 : weight});
    map.RejectUnknown();
  });
  if (!read.empty()) resources = std::move(read);
}

Value EncodeResources(const std::vector<ResourceWeight>& resources) {
  Value list = Value::List();
  for (const ResourceWeight& resource : resources) {
    Value entry = Value::Map();
    entry.Set("name", Value::String(resource.name));
    entry.Set("weight", Value::Int(resource.weight));
    list.Append(std::move(entry));
  }
  return list;
}

std::vector<UtilizationShapePoint> DecodeShape(FieldReader& reader) {
  std::vector<UtilizationShapePoint> shape;
  reader.ForEach("shape", [&](FieldReader& map) {
    shape.push_back({map.Int32("utilization").value_or(0), map.Int32("score").value_or(0)});
    map.RejectUnknown();
  });
  return shape;
}

Value EncodeShape(const std::vector<UtilizationShapePoint>& shape) {
  Value list = Value::List();
  for (const UtilizationShapePoint& point : shape) {
    Value entry = Value::Map();
    entry.Set("utilization", Value::Int(point.utilization));
    entry.Set("score", Value::Int(point.score));
    list.Append(std::move(entry));
  }
  return list;
}

void CheckShape(const std::vector<UtilizationShapePoint>& shape, const std::string& path, config::Messages& messages) {
  if (shape.empty()) messages.push_back(config::Required(path, "at least one point must be specified"));
  for (size_t i = 1; i < shape.size(); ++i) {
    if (shape[i - 1].utilization < shape[i].utilization) continue;
    messages.push_back(Invalid(Child(Index(path, i), "utilization"), shape[i].utilization,
                               "values must be sorted in increasing order"));
    break;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    const UtilizationShapePoint& point = shape[i];
    if (point.utilization < 0 || point.utilization > 100) {
      messages.push_back(
          Invalid(Child(Index(path, i), "utilization"), point.utilization, "not in valid range [0, 100]"));
    }
    if (point.score < 0 || point.score > 10) {
      messages.push_back(Invalid(Child(Index(path, i), "score"), point.score, "not in valid range [0, 10]"));
    }
  }
}

}  // namespace berth::plugins::node_resources
