// SPDX-License-Identifier: Apache-2.0
#include "framework/pod_classes.h"

#include "base/hash.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace berth::framework {
namespace {

uint64_t HashOf(const std::string& text) { return std::hash<std::string>()(text); }

uint64_t HashOfTemplate(const api::Pod& pod) {
  return MixHash(std::hash<const void*>()(pod.spec.get()), HashOf(pod.meta.namespace_));
}

bool IsTemplateOf(const PodTemplate& candidate, const api::Pod& pod) {
  return candidate.spec == pod.spec && candidate.namespace_ == pod.meta.namespace_;
}

}  // namespace

PodInfoPtr PodClasses::InfoOf(api::PodPtr pod, const PodInfo* known) {
  const bool stays = known != nullptr && StaysInClass(*known->pod, *pod);
  PodClassPtr pod_class = stays ? known->pod_class : ClassOf(*pod);
  return std::make_shared<const PodInfo>(std::move(pod), std::move(pod_class));
}

bool PodClasses::StaysInClass(const api::Pod& before, const api::Pod& after) const {
  const bool same_status = before.status == after.status ||
                           (!StatusMatters(*before.status, rules_) && !StatusMatters(*after.status, rules_));
  return same_status && before.spec == after.spec && before.meta.labels == after.meta.labels &&
         before.meta.namespace_ == after.meta.namespace_;
}

PodClassPtr PodClasses::ClassOf(const api::Pod& pod) {
  uint64_t hash = HashOfTemplate(pod);
  for (const auto& [key, value] : pod.meta.labels) hash = MixHash(MixHash(hash, HashOf(key)), HashOf(value));
  // Where the status has no say the template need not be known to find the class.
  std::shared_ptr<const PodTemplate> pod_template;
  if (StatusMatters(*pod.status, rules_)) pod_template = TemplateOf(pod);
  PodClassPtr known = classes_.Find(hash, [&](const PodClass& candidate) {
    const PodTemplate& of = *candidate.pod_template;
    const bool is_like =
        pod_template != nullptr ? &of == pod_template.get() : of.follows_from_spec && IsTemplateOf(of, pod);
    return is_like && candidate.labels == pod.meta.labels;
  });
  if (known != nullptr) return known;
  if (pod_template == nullptr) pod_template = TemplateOf(pod);
  return classes_.Add(hash, {std::move(pod_template), pod.meta.labels});
}

std::shared_ptr<const PodTemplate> PodClasses::TemplateOf(const api::Pod& pod) {
  const uint64_t hash = HashOfTemplate(pod);
  if (!StatusMatters(*pod.status, rules_)) {
    std::shared_ptr<const PodTemplate> known = templates_.Find(hash, [&](const PodTemplate& candidate) {
      return candidate.follows_from_spec && IsTemplateOf(candidate, pod);
    });
    return known != nullptr ? known : templates_.Add(hash, MakeTemplate(pod, names_, rules_));
  }
  PodTemplate made = MakeTemplate(pod, names_, rules_);
  std::shared_ptr<const PodTemplate> known = templates_.Find(hash, [&](const PodTemplate& candidate) {
    return IsTemplateOf(candidate, pod) && candidate.traits == made.traits;
  });
  if (known != nullptr) return known;
  // What the status tells is mostly what the spec asks for.
  api::Pod as_specified = pod;
  as_specified.status = std::make_shared<const api::PodStatus>();
  made.follows_from_spec = MakeTemplate(as_specified, names_, rules_).traits == made.traits;
  return templates_.Add(hash, std::move(made));
}

}  // namespace berth::framework
