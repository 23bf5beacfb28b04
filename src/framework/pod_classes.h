// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"
#include "base/shared_table.h"
#include "framework/pod_info.h"
#include "framework/resource.h"

#include <cstddef>
#include <memory>

namespace berth::framework {

// Gives pods that are alike one class. Specs count as equal when they are one object, which whoever reads pods sees to.
// A class, and the template behind it, is forgotten when its last pod goes, on whichever thread that happens. One
// thread asks.
class PodClasses {
 public:
  // The names outlive the table and all its classes. The rules apply to every pod of this table.
  explicit PodClasses(ResourceNames& names, const PodRules& rules = {}) : names_(names), rules_(rules) {}

  // The pod with its class. `known` is what was known of the pod before, if anything: most updates leave the class as
  // it is.
  PodInfoPtr InfoOf(api::PodPtr pod, const PodInfo* known = nullptr);

  size_t size() const { return classes_.size(); }
  size_t template_count() const { return templates_.size(); }

 private:
  bool StaysInClass(const api::Pod& before, const api::Pod& after) const;
  PodClassPtr ClassOf(const api::Pod& pod);
  std::shared_ptr<const PodTemplate> TemplateOf(const api::Pod& pod);

  ResourceNames& names_;
  const PodRules rules_;
  SharedTable<PodTemplate> templates_;
  SharedTable<PodClass> classes_;
};

}  // namespace berth::framework
