// SPDX-License-Identifier: Apache-2.0
#include "api/kinds.h"

namespace berth::api {

std::string QualifiedKind(std::string_view api_version, std::string_view kind) {
  const std::string_view group = GroupOf(api_version);
  std::string name(kind);
  const KindInfo* known = FindKind(kind);
  if (group.empty() || (known != nullptr && known->group == group)) return name;
  return name.append(".").append(group);
}

}  // namespace berth::api
