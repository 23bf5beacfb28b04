// SPDX-License-Identifier: Apache-2.0
#include "store/record.h"

#include <algorithm>

namespace berth::store {
namespace {

const std::string& ValueOf(const Fields& fields, Selection::Field field) {
  switch (field) {
    case Selection::Field::NodeName: return fields.node_name;
    case Selection::Field::Phase: return fields.phase;
    case Selection::Field::SchedulerName: break;
  }
  return fields.scheduler_name;
}

}  // namespace

std::string ToText(const Key& key) {
  return key.kind + " " + (key.namespace_.empty() ? key.name : key.namespace_ + "/" + key.name);
}

bool Selection::Matches(const Record& record) const {
  if (!kinds.empty() && std::ranges::find(kinds, record.key.kind) == kinds.end()) return false;
  if (!namespace_.empty() && record.key.namespace_ != namespace_) return false;
  return std::ranges::all_of(
      fields, [&](const FieldTest& test) { return (ValueOf(record.fields, test.field) == test.value) == test.equal; });
}

}  // namespace berth::store
