// SPDX-License-Identifier: Apache-2.0
#include "api/label_syntax.h"
#include "api/labels.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::api {
namespace {

void SortUnique(std::vector<std::string>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

Result<Selector::Op> OpFrom(std::string_view name) {
  if (name == "In") return Selector::Op::In;
  if (name == "NotIn") return Selector::Op::NotIn;
  if (name == "Exists") return Selector::Op::Exists;
  if (name == "DoesNotExist") return Selector::Op::DoesNotExist;
  return InvalidError(fmt::format("\"{}\" is not a valid label selector operator", name));
}

Result<void> Validate(const Selector::Requirement& requirement) {
  if (!IsLabelKey(requirement.key)) {
    return InvalidError(fmt::format("\"{}\" is not a valid label key", requirement.key));
  }
  const bool takes_values = requirement.op == Selector::Op::In || requirement.op == Selector::Op::NotIn;
  if (takes_values && requirement.values.empty()) {
    return InvalidError(fmt::format("In and NotIn need at least one value for key \"{}\"", requirement.key));
  }
  if (!takes_values && !requirement.values.empty()) {
    return InvalidError(fmt::format("Exists and DoesNotExist take no values for key \"{}\"", requirement.key));
  }
  for (const std::string& value : requirement.values) {
    if (!IsLabelValue(value)) {
      return InvalidError(fmt::format("\"{}\" is not a valid label value for key \"{}\"", value, requirement.key));
    }
  }
  return {};
}

}  // namespace

bool Selector::Requirement::Matches(const Labels& labels) const {
  const std::string* value = labels.Find(key);
  switch (op) {
    case Op::In: return value != nullptr && std::ranges::binary_search(values, *value);
    case Op::NotIn: return value == nullptr || !std::ranges::binary_search(values, *value);
    case Op::Exists: return value != nullptr;
    case Op::DoesNotExist: return value == nullptr;
  }
  return false;
}

Selector Selector::Everything() {
  Selector selector;
  selector.nothing_ = false;
  return selector;
}

Result<Selector> Selector::From(const std::optional<LabelSelector>& selector) {
  if (!selector) return Nothing();
  Selector result = Everything();
  for (const auto& [key, value] : selector->match_labels) {
    Requirement requirement{key, Op::In, {value}};
    BERTH_RETURN_IF_ERROR(Validate(requirement));
    result.Add(std::move(requirement));
  }
  for (const LabelSelector::Requirement& expression : selector->match_expressions) {
    BERTH_ASSIGN_OR_RETURN(const Op op, OpFrom(expression.op));
    Requirement requirement{expression.key, op, expression.values};
    BERTH_RETURN_IF_ERROR(Validate(requirement));
    result.Add(std::move(requirement));
  }
  return result;
}

Selector Selector::FromLabels(const Labels& labels) {
  Selector result = Everything();
  for (const auto& [key, value] : labels) result.Add({key, Op::In, {value}});
  return result;
}

bool Selector::Matches(const Labels& labels) const {
  return !nothing_ && std::ranges::all_of(requirements_, [&](const Requirement& r) { return r.Matches(labels); });
}

void Selector::Add(Requirement requirement) {
  if (nothing_) return;
  SortUnique(requirement.values);
  const auto order = [](const Requirement& r) { return std::tie(r.key, r.op, r.values); };
  const auto at = std::upper_bound(requirements_.begin(), requirements_.end(), requirement,
                                   [&](const auto& a, const auto& b) { return order(a) < order(b); });
  requirements_.insert(at, std::move(requirement));
}

std::string Selector::ToString() const {
  if (nothing_) return "<nothing>";
  std::string text;
  for (const Requirement& r : requirements_) {
    if (!text.empty()) text += ',';
    switch (r.op) {
      case Op::In:
        text += r.values.size() == 1 ? fmt::format("{}={}", r.key, r.values[0])
                                     : fmt::format("{} in ({})", r.key, fmt::join(r.values, ","));
        break;
      case Op::NotIn:
        text += r.values.size() == 1 ? fmt::format("{}!={}", r.key, r.values[0])
                                     : fmt::format("{} notin ({})", r.key, fmt::join(r.values, ","));
        break;
      case Op::Exists: text += r.key; break;
      case Op::DoesNotExist: text += "!" + r.key; break;
    }
  }
  return text;
}

}  // namespace berth::api
