// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "conformance/dice.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::conformance {

api::Object RandomNamespace(Dice& dice, const std::string& name);

// The kinds that own or group pods; a pod of a random template may be owned by "owner-0" or "owner-1".
const std::vector<std::string>& OwnerKinds();
// One of them; `kind` must be in OwnerKinds().
api::Object RandomOwner(Dice& dice, std::string_view kind, const std::string& ns, const std::string& name);
// Some of them in every namespace.
std::vector<api::Object> RandomOwners(Dice& dice);

}  // namespace berth::conformance
