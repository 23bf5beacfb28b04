// SPDX-License-Identifier: Apache-2.0
#include "api/label_syntax.h"
#include "api/labels.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

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
  std::string text;
  AppendText(text);
  return text;
}

void Selector::AppendText(std::string& text) const {
  if (nothing_) {
    text += "<nothing>";
    return;
  }
  const auto append_values = [&](const Requirement& r, std::string_view for_one, std::string_view for_many) {
    text += r.key;
    text += r.values.size() == 1 ? for_one : for_many;
    for (size_t i = 0; i < r.values.size(); ++i) {
      if (i > 0) text += ',';
      text += r.values[i];
    }
    if (r.values.size() != 1) text += ')';
  };
  bool is_first = true;
  for (const Requirement& r : requirements_) {
    if (!std::exchange(is_first, false)) text += ',';
    switch (r.op) {
      case Op::In: append_values(r, "=", " in ("); break;
      case Op::NotIn: append_values(r, "!=", " notin ("); break;
      case Op::DoesNotExist: text += '!'; [[fallthrough]];
      case Op::Exists: text += r.key; break;
    }
  }
}

namespace {

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),<>").find(c) != std::string_view::npos; }

// Cuts a selector text into symbols ("=", "==", "!=", "!", "(", ")", ",", "<", ">") and words.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) { Advance(); }

  std::string_view token() const { return token_; }  // empty at the end
  bool at_end() const { return token_.empty(); }
  bool at_word() const { return !at_end() && !IsSymbol(token_.front()); }
  bool at(std::string_view symbol) const { return token_ == symbol; }
  bool at_value_end() const { return at_end() || at(","); }

  void Advance() {
    while (!text_.empty() && IsBlank(text_.front())) text_.remove_prefix(1);
    size_t size = 0;
    if (text_.starts_with("==") || text_.starts_with("!=")) {
      size = 2;
    } else if (!text_.empty() && IsSymbol(text_.front())) {
      size = 1;
    } else {
      while (size < text_.size() && !IsSymbol(text_[size]) && !IsBlank(text_[size])) ++size;
    }
    token_ = text_.substr(0, size);
    text_.remove_prefix(size);
  }

 private:
  std::string_view text_;
  std::string_view token_;
};

Error Unexpected(const Scanner& scanner, std::string_view expected) {
  return InvalidError(fmt::format("found '{}', expected {}", scanner.token(), expected));
}

// "(a,b)": empty places are empty values, "()" holds one empty value.
Result<std::vector<std::string>> ParseSet(Scanner& scanner) {
  if (!scanner.at("(")) return Unexpected(scanner, "'('");
  std::vector<std::string> values;
  do {
    scanner.Advance();
    if (scanner.at_word()) {
      values.emplace_back(scanner.token());
      scanner.Advance();
    } else {
      values.emplace_back();
    }
  } while (scanner.at(","));
  if (!scanner.at(")")) return Unexpected(scanner, "',' or ')'");
  scanner.Advance();
  return values;
}

Result<std::vector<std::string>> ParseExact(Scanner& scanner) {
  if (scanner.at_value_end()) return std::vector<std::string>{""};
  if (!scanner.at_word()) return Unexpected(scanner, "a value");
  std::vector<std::string> values{std::string(scanner.token())};
  scanner.Advance();
  return values;
}

Result<Selector::Requirement> ParseRequirement(Scanner& scanner) {
  using Op = Selector::Op;
  const bool negated = scanner.at("!");
  if (negated) scanner.Advance();
  if (!scanner.at_word()) return Unexpected(scanner, "a label key");
  Selector::Requirement requirement{std::string(scanner.token()), Op::Exists, {}};
  if (!IsLabelKey(requirement.key)) return InvalidError(fmt::format("'{}' is not a valid label key", requirement.key));
  scanner.Advance();
  if (negated || scanner.at_value_end()) {
    requirement.op = negated ? Op::DoesNotExist : Op::Exists;
    return requirement;
  }
  const bool is_set = scanner.at("in") || scanner.at("notin");
  if (is_set || scanner.at("=") || scanner.at("==") || scanner.at("!=")) {
    requirement.op = scanner.at("notin") || scanner.at("!=") ? Op::NotIn : Op::In;
  } else {
    return Unexpected(scanner, "one of in, notin, =, ==, !=");
  }
  scanner.Advance();
  BERTH_ASSIGN_OR_RETURN(requirement.values, is_set ? ParseSet(scanner) : ParseExact(scanner));
  for (const std::string& value : requirement.values) {
    if (!IsLabelValue(value)) return InvalidError(fmt::format("'{}' is not a valid label value", value));
  }
  return requirement;
}

}  // namespace

Result<Selector> Selector::Parse(std::string_view text) {
  Selector result = Everything();
  const auto in_selector = [text](const Error& error) {
    return InvalidError(fmt::format("cannot parse selector \"{}\": {}", text, error.message));
  };
  Scanner scanner(text);
  while (!scanner.at_end()) {
    Result<Requirement> requirement = ParseRequirement(scanner);
    if (!requirement) return in_selector(requirement.error());
    result.Add(*std::move(requirement));
    if (scanner.at_end()) break;
    if (!scanner.at(",")) return in_selector(Unexpected(scanner, "',' or the end"));
    scanner.Advance();
    if (scanner.at_end()) return in_selector(Unexpected(scanner, "a label key after ','"));
  }
  return result;
}

}  // namespace berth::api
