// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/object.h"
#include "framework/binding_work.h"

#include <memory>
#include <optional>
#include <string_view>
#include <variant>

namespace berth::framework {

// Looks up single objects from any thread: for work that runs elsewhere than on the engine thread, such as PostBind and
// what PreBind and Bind send to BindingWork::RunElsewhere. An object is as its home last told it: what the engine has
// decided and not written yet is not in it, and it may be ahead of what the engine has heard. Only kinds that are
// watched are there (see Lister), with pods and nodes among them.
class ObjectReader {
 public:
  virtual ~ObjectReader() = default;
  // None when there is no such object.
  virtual std::optional<api::Object> Find(const ObjectKey& key) const = 0;

  // The same for a type; the namespace is empty for cluster-wide kinds. Null when there is no such object.
  template <typename T>
  std::shared_ptr<const T> Find(std::string_view ns, std::string_view name) const {
    const std::optional<api::Object> found = Find({std::string(api::KindOf<T>()), std::string(ns), std::string(name)});
    return found ? std::get<std::shared_ptr<const T>>(*found) : nullptr;
  }
};

// Finds nothing: for plugins that run where there is no home, and so nothing is bound.
class NoObjects final : public ObjectReader {
 public:
  using ObjectReader::Find;
  std::optional<api::Object> Find(const ObjectKey& /*key*/) const override { return std::nullopt; }
};

}  // namespace berth::framework
