// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// A field selector as kubectl writes it: "spec.nodeName=a,status.phase!=Failed". Immutable.
class FieldSelector {
 public:
  struct Requirement {
    std::string field;
    std::string value;
    bool equal = true;
  };

  static Result<FieldSelector> Parse(std::string_view text);
  // `lookup` gives a field's value by its path, "" when unset.
  bool Matches(const std::function<std::string(std::string_view)>& lookup) const;
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace berth::api
