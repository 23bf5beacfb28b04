// SPDX-License-Identifier: Apache-2.0
#include "cmd/plugin_name.h"

#include <cctype>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::cmd {
namespace {

// It becomes a part of labels, which end at 63.
constexpr size_t kLongest = 40;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }

// The words of a name, in lower case: "HTTPCheck" and "http-check" are both "http", "check".
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  bool begins = true;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsLetter(c) && !IsDigit(c)) {
      begins = true;
      continue;
    }
    const bool after_small = i > 0 && IsUpper(c) && !IsUpper(name[i - 1]);
    const bool before_small =
        i > 0 && IsUpper(c) && i + 1 < name.size() && IsLetter(name[i + 1]) && !IsUpper(name[i + 1]);
    if (begins || after_small || before_small) words.emplace_back();
    words.back() += Lower(c);
    begins = false;
  }
  return words;
}

std::string CamelCase(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += Upper(word.front()) + word.substr(1);
  return text;
}

// Letters, digits and single - or _ between them, a letter first.
bool IsWellFormed(std::string_view name) {
  bool may_separate = false;
  for (const char c : name) {
    const bool separates = c == '-' || c == '_';
    if (separates ? !may_separate : !IsLetter(c) && !IsDigit(c)) return false;
    may_separate = !separates;
  }
  return !name.empty() && IsLetter(name.front()) && may_separate && name.size() <= kLongest;
}

// A name like the one that cannot be had; empty when there is nothing of it to keep.
std::string Instead(std::string_view name) {
  std::vector<std::string> words = WordsOf(name);
  if (words.empty()) return "";
  if (IsDigit(words.front().front())) words.insert(words.begin(), "plugin");
  std::string text = fmt::format("{}", fmt::join(words, "-")).substr(0, kLongest);
  while (text.back() == '-') text.pop_back();
  return text;
}

}  // namespace

Result<PluginName> NewPluginName(const std::string& name, const framework::Registry& taken) {
  if (!IsWellFormed(name)) {
    const std::string instead = Instead(name);
    return InvalidError(
        fmt::format("\"{}\" cannot be the name of a plugin: a letter comes first, then letters, digits, - and _, "
                    "at most {}{}",
                    name, kLongest, instead.empty() ? "" : fmt::format("; did you mean \"{}\"?", instead)));
  }
  if (taken.Find(name) != nullptr) {
    return InvalidError(
        fmt::format("\"{}\" is a plugin that this program has already; did you mean \"My{}\"?", name, name));
  }
  const std::vector<std::string> words = WordsOf(name);
  return PluginName{name, CamelCase(words), fmt::format("{}", fmt::join(words, "_")),
                    fmt::format("{}", fmt::join(words, "-"))};
}

}  // namespace berth::cmd
