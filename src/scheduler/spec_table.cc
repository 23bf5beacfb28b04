// SPDX-License-Identifier: Apache-2.0
#include "scheduler/spec_table.h"

#include "api/document.h"

namespace berth::scheduler {

std::shared_ptr<const api::PodSpec> SpecTable::Shared(const api::Value& document,
                                                      std::shared_ptr<const api::PodSpec> spec) {
  const api::Value* spelled = document.Find("spec");
  if (spelled == nullptr) return spec;
  std::string text = api::ToJson(*spelled);
  if (const auto it = specs_.find(text); it != specs_.end()) return it->second;
  if (specs_.size() >= capacity_) {
    specs_.erase(order_.front());
    order_.pop_front();
  }
  order_.push_back(text);
  specs_.emplace(std::move(text), spec);
  return spec;
}

}  // namespace berth::scheduler
