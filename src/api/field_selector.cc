// SPDX-License-Identifier: Apache-2.0
#include "api/field_selector.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::api {
namespace {

// The next comma-separated term; a backslash keeps the character after it from ending the term.
std::string_view TakeTerm(std::string_view& text) {
  size_t end = 0;
  while (end < text.size() && text[end] != ',') end += text[end] == '\\' ? 2 : 1;
  end = std::min(end, text.size());
  const std::string_view term = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return term;
}

// Backslash may stand before itself, ',' and '=' only; those two must not stand bare in a value.
Result<std::string> Unescape(std::string_view value) {
  std::string result;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\') {
      if (++i == value.size() || std::string_view("\\,=").find(value[i]) == std::string_view::npos) {
        return InvalidError(fmt::format("invalid escape in field selector value \"{}\"", value));
      }
    } else if (value[i] == ',' || value[i] == '=') {
      return InvalidError(fmt::format("field selector value \"{}\" holds an unescaped '{}'", value, value[i]));
    }
    result += value[i];
  }
  return result;
}

}  // namespace

Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view term = TakeTerm(rest);
    if (term.empty()) continue;
    size_t at = 0;
    while (at < term.size() && term[at] != '=' && !term.substr(at).starts_with("!=")) ++at;
    if (at == term.size()) {
      return InvalidError(fmt::format("cannot parse field selector \"{}\": \"{}\" has no operator", text, term));
    }
    const std::string_view tail = term.substr(at);
    const size_t op_size = tail.starts_with("!=") || tail.starts_with("==") ? 2 : 1;
    BERTH_ASSIGN_OR_RETURN(std::string value, Unescape(tail.substr(op_size)));
    selector.requirements_.push_back({std::string(term.substr(0, at)), std::move(value), tail.front() == '='});
  }
  return selector;
}

bool FieldSelector::Matches(const std::function<std::string(std::string_view)>& lookup) const {
  return std::ranges::all_of(requirements_,
                             [&](const Requirement& r) { return (lookup(r.field) == r.value) == r.equal; });
}

}  // namespace berth::api
