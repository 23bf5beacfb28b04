// SPDX-License-Identifier: Apache-2.0
#include "api/pod.h"

#include <algorithm>

namespace berth::api {

const Condition* Pod::FindCondition(std::string_view type) const {
  const auto it = std::ranges::find(status->conditions, type, &Condition::type);
  return it != status->conditions.end() ? &*it : nullptr;
}

}  // namespace berth::api
