// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"

#include <memory>
#include <variant>

namespace berth::framework {

// The object as T, for queueing hints; null when there is none or it is of another kind.
template <typename T>
const T* ObjectAs(const api::Object* object) {
  if (object == nullptr) return nullptr;
  const auto* typed = std::get_if<std::shared_ptr<const T>>(object);
  return typed == nullptr ? nullptr : typed->get();
}

}  // namespace berth::framework
