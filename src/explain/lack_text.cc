// SPDX-License-Identifier: Apache-2.0
#include "explain/lack_text.h"

#include "explain/pod_needs.h"
#include "text/amount.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::explain {
namespace {

using text::AmountText;

std::string TextOf(const framework::Shortfall& shortfall) {
  const auto text = [&](int64_t amount) { return AmountText(shortfall.resource, amount); };
  return fmt::format("short of {} {} (needs {}, free {})", text(shortfall.missing()), shortfall.resource,
                     text(shortfall.requested), text(shortfall.free));
}

std::string TextOf(const framework::LimitReached& limit) {
  return fmt::format("full: {} of {} {}", limit.count, limit.limit, limit.what);
}

std::string TextOf(const framework::UnmetRequirement& unmet) {
  const std::string& key = unmet.requirement.key;
  return fmt::format("needs {}, has {}", RequirementText(unmet.requirement),
                     unmet.found ? fmt::format("{}={}", key, *unmet.found) : "no " + key);
}

std::string TextOf(const framework::Obstacle& obstacle) {
  std::string text = obstacle.what;
  for (const std::string& part : {obstacle.which, obstacle.state}) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  return text;
}

}  // namespace

std::string LackText(const framework::Lack& lack) {
  return std::visit([](const auto& one) { return TextOf(one); }, lack);
}

std::string RemedyText(const framework::Remedy& remedy) {
  if (remedy.objects.empty()) return remedy.verb;
  return fmt::format("{} {}", remedy.verb, fmt::join(remedy.objects, ", "));
}

}  // namespace berth::explain
