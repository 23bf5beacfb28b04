// SPDX-License-Identifier: Apache-2.0
#include "conformance/queue_hints.h"

#include "conformance/evaluate_hints.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace berth::conformance {
namespace {

using framework::ClusterEventWithHint;
using framework::PodInfo;
using framework::QueueingHint;

// Pods of one template share their spec.
using Template = std::tuple<std::string, std::vector<api::Labels::Entry>, const api::PodSpec*>;

Template TemplateOf(const PodInfo& pod) {
  return {pod->meta.namespace_, {pod->meta.labels.begin(), pod->meta.labels.end()}, pod->spec.get()};
}

// Answers cached per template; nothing when the hint failed.
using Answers = std::map<Template, std::optional<QueueingHint>>;

framework::QueueingHintFn Remembering(framework::QueueingHintFn hint) {
  return [hint = std::move(hint), answers = std::make_shared<Answers>()](
             const PodInfo& pod, const api::Object* before, const api::Object* after) -> Result<QueueingHint> {
    const auto [it, is_new] = answers->try_emplace(TemplateOf(pod));
    if (is_new) {
      if (const Result<QueueingHint> said = hint(pod, before, after)) it->second = *said;
    }
    return it->second.value_or(QueueingHint::Queue);
  };
}

framework::QueueingHintFn AskedByKeys(framework::QueueingHintFn hint, std::shared_ptr<const framework::HintKeys> keys) {
  return [hint = std::move(hint), keys = std::move(keys)](const PodInfo& pod, const api::Object* before,
                                                          const api::Object* after) -> Result<QueueingHint> {
    return keys->MayHelp(pod, before, after) ? hint(pod, before, after) : QueueingHint::QueueSkip;
  };
}

}  // namespace

api::Value EvaluateHintsAsQueue(const queue::QueueProfile& profile, std::span<const framework::PodInfoPtr> waiting,
                                const api::Object* before, const api::Object* after) {
  queue::QueueProfile remembering = profile;
  for (queue::QueueProfile::Plugin& plugin : remembering.plugins) {
    for (ClusterEventWithHint& registered : plugin.events) {
      if (!registered.by_template || !registered.hint) continue;
      if (registered.keys != nullptr) registered.hint = AskedByKeys(std::move(registered.hint), registered.keys);
      registered.hint = Remembering(std::move(registered.hint));
    }
  }
  api::Value hints = api::Value::Map();
  for (const framework::PodInfoPtr& pod : waiting) {
    hints.Set(pod->pod->meta.Key(), EvaluateHints(remembering, *pod, before, after));
  }
  return hints;
}

}  // namespace berth::conformance
