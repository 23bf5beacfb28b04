// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/binding_work.h"

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace berth::framework {

// Looks up single objects, from any thread: for work outside the engine thread, such as PostBind and functions passed
// to BindingWork::RunElsewhere. Returns objects as the home's feed last reported them: decisions that are not written
// yet are not included, and an object may be newer than the engine's view of it. Only watched kinds are available (see
// Lister), including pods and nodes.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // Returns nothing when there is no such object.
  virtual std::optional<api::Object> Find(const ObjectKey& key) const = 0;

  // The same for a type; the namespace is empty for cluster-scoped kinds. Returns null when there is no such object.
  template <typename T>
  std::shared_ptr<const T> Find(std::string_view ns, std::string_view name) const {
    const std::optional<api::Object> found = Find({std::string(api::KindOf<T>()), std::string(ns), std::string(name)});
    return found ? std::get<std::shared_ptr<const T>>(*found) : nullptr;
  }
};

// Finds nothing: for profiles that run without a home.
class NoObjects final : public ObjectReader {
 public:
  using ObjectReader::Find;
  std::optional<api::Object> Find(const ObjectKey& /*key*/) const override { return std::nullopt; }
};

}  // namespace berth::framework
