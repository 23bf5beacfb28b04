// SPDX-License-Identifier: Apache-2.0
#include "conformance/evaluate_hints.h"

#include "queue/change_events.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace berth::conformance {
namespace {

using api::Value;
using framework::ClusterEvent;
using framework::QueueingHint;

// Nothing when the plugin is not registered for any of the events.
std::optional<QueueingHint> HintOf(const queue::QueueProfile::Plugin& plugin, const framework::PodInfo& pod,
                                   const std::vector<ClusterEvent>& events, const api::Object* before,
                                   const api::Object* after) {
  std::optional<QueueingHint> answer;
  for (const ClusterEvent& event : events) {
    for (const framework::ClusterEventWithHint& registered : plugin.events) {
      if (!queue::Matches(registered.event, event)) continue;
      const Result<QueueingHint> hint =
          registered.hint ? registered.hint(pod, before, after) : Result<QueueingHint>(QueueingHint::Queue);
      // A hint that fails wakes the pod, and one Queue among the events is enough.
      if (!hint || *hint == QueueingHint::Queue) return QueueingHint::Queue;
      answer = QueueingHint::QueueSkip;
    }
  }
  return answer;
}

}  // namespace

Value EvaluateHints(const queue::QueueProfile& profile, const framework::PodInfo& pod, const api::Object* before,
                    const api::Object* after) {
  const std::vector<ClusterEvent> events = queue::EventsOf(before, after);
  std::vector<std::string> labels;
  for (const ClusterEvent& event : events) labels.push_back(queue::Label(event));
  std::ranges::sort(labels);
  Value names = Value::List();
  for (std::string& label : labels) names.Append(Value::String(std::move(label)));
  Value hints = Value::Map();
  for (const queue::QueueProfile::Plugin& plugin : profile.plugins) {
    const std::optional<QueueingHint> hint = HintOf(plugin, pod, events, before, after);
    if (hint) hints.Set(plugin.name, Value::String(*hint == QueueingHint::Queue ? "Queue" : "QueueSkip"));
  }
  Value actual = Value::Map();
  actual.Set("events", std::move(names));
  actual.Set("hints", std::move(hints));
  return actual;
}

}  // namespace berth::conformance
