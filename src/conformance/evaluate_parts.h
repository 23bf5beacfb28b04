// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "framework/extension_point.h"
#include "framework/pod_info.h"
#include "framework/status.h"
#include "runtime/cycle.h"
#include "runtime/profile.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

// Decisions in the form of golden cases.
namespace berth::conformance {

template <typename Strings>
api::Value StringList(const Strings& strings) {
  api::Value list = api::Value::List();
  for (const auto& text : strings) list.Append(api::Value::String(std::string(text)));
  return list;
}
api::Value IntList(const std::vector<int64_t>& numbers);
std::vector<std::string> Sorted(std::vector<std::string> names);

api::Value VerdictOf(const framework::Status& status, bool with_plugin);
// The names of the plugins at these points that are marked in `skipped`, sorted.
std::vector<std::string> Skipped(const runtime::Profile& profile, const runtime::SkipSet& skipped,
                                 std::initializer_list<framework::ExtensionPoint> points);
// The outcome of PreFilter.
api::Value PreFilterPart(const runtime::Profile& profile, const runtime::Cycle& cycle, const framework::Status& status);
// Runs PostFilter for a pod that fits no node; adds its outcome to `actual` and its message to `failure`.
void PostFilterPart(runtime::Profile& profile, runtime::Cycle& cycle, const framework::PodInfo& pod, api::Value& actual,
                    std::string& failure);

}  // namespace berth::conformance
