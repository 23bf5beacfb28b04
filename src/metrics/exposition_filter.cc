// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition_filter.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

namespace berth::metrics {
namespace {

constexpr std::string_view kUnexpected = "unexpected";

std::set<std::string, std::less<>> SplitValues(std::string_view list) {
  std::set<std::string, std::less<>> values;
  for (;;) {
    const size_t comma = list.find(',');
    values.emplace(list.substr(0, comma));
    if (comma == std::string_view::npos) return values;
    list.remove_prefix(comma + 1);
  }
}

// The metric that "# HELP name …" introduces; empty for other lines.
std::string_view Introduced(std::string_view line) {
  constexpr std::string_view kHelp = "# HELP ";
  if (!line.starts_with(kHelp)) return {};
  line.remove_prefix(kHelp.size());
  return line.substr(0, line.find(' '));
}

// Where the quote is that ends a value; escaped ones do not.
size_t EndOfValue(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return at;
}

// The samples of one metric, those of equal series added up, in the order in which they came.
class Samples {
 public:
  void Add(std::string series, double value) {
    const auto [at, is_new] = index_.try_emplace(std::move(series), values_.size());
    if (is_new) {
      values_.emplace_back(&at->first, value);
    } else {
      values_[at->second].second += value;
    }
  }

  void MoveTo(std::string& text) {
    for (const auto& [series, value] : values_) text += fmt::format("{} {}\n", *series, value);
    values_.clear();
    index_.clear();
  }

 private:
  std::vector<std::pair<const std::string*, double>> values_;
  std::unordered_map<std::string, size_t> index_;
};

}  // namespace

ExpositionFilter::ExpositionFilter(const std::vector<std::string>& disabled,
                                   const std::map<std::string, std::string>& allowed)
    : disabled_(disabled.begin(), disabled.end()) {
  for (const auto& [key, values] : allowed) {
    const size_t comma = key.find(',');
    if (comma == std::string::npos) continue;
    allowed_[key.substr(0, comma)][key.substr(comma + 1)] = SplitValues(values);
  }
}

std::string ExpositionFilter::Apply(std::string text) const {
  if (disabled_.empty() && allowed_.empty()) return text;
  std::string kept;
  Samples samples;
  bool dropped = false;
  const Allowed* allowed = nullptr;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (const std::string_view metric = Introduced(line); !metric.empty()) {
      samples.MoveTo(kept);
      dropped = disabled_.contains(metric);
      const auto found = allowed_.find(metric);
      allowed = found == allowed_.end() ? nullptr : &found->second;
    }
    if (dropped) continue;
    const size_t blank = line.rfind(' ');
    if (allowed == nullptr || line.starts_with('#') || blank == std::string_view::npos) {
      kept += line;
      kept += '\n';
      continue;
    }
    double value = 0;
    std::from_chars(line.data() + blank + 1, line.data() + line.size(), value);
    samples.Add(Constrained(line.substr(0, blank), *allowed), value);
  }
  samples.MoveTo(kept);
  return kept;
}

std::string ExpositionFilter::Constrained(std::string_view sample, const Allowed& allowed) {
  std::string series;
  size_t copied = 0;
  for (size_t at = sample.find('{'); at != std::string_view::npos && at + 1 < sample.size() && sample[at] != '}';) {
    const size_t name = at + 1;
    const size_t equals = sample.find('=', name);
    if (equals == std::string_view::npos) break;
    const size_t value = equals + 2;  // after the quote
    const size_t end = EndOfValue(sample, value);
    const auto found = allowed.find(sample.substr(name, equals - name));
    if (found != allowed.end() && !found->second.contains(sample.substr(value, end - value))) {
      series.append(sample.substr(copied, value - copied)).append(kUnexpected);
      copied = end;
    }
    at = end + 1;
  }
  return series.append(sample.substr(copied));
}

}  // namespace berth::metrics
