// SPDX-License-Identifier: Apache-2.0
#include "extender/json_cursor.h"

#include "api/source_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace berth::extender {
namespace {

constexpr size_t kMaxDepth = 10'000;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void AppendUtf8(std::string& out, uint32_t point) {
  const auto append = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return append(point);
  if (point < 0x800) {
    append(0xC0U | (point >> 6U));
  } else if (point < 0x10000) {
    append(0xE0U | (point >> 12U));
    append(0x80U | ((point >> 6U) & 0x3FU));
  } else {
    append(0xF0U | (point >> 18U));
    append(0x80U | ((point >> 12U) & 0x3FU));
    append(0x80U | ((point >> 6U) & 0x3FU));
  }
  append(0x80U | (point & 0x3FU));
}

// The number behind "\u" at this place; none when there is no such escape.
std::optional<uint32_t> UnicodeEscape(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "\\u" || text.size() - at < 6) return std::nullopt;
  uint32_t number = 0;
  const char* end = text.data() + at + 6;
  const auto [stopped, failed] = std::from_chars(text.data() + at + 2, end, number, 16);
  if (failed != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

// Decodes the escape, known to be valid, at `at` and moves behind it. Half of a surrogate pair stands for nothing.
void AppendEscape(std::string_view text, size_t& at, std::string& out) {
  constexpr std::string_view kLetters = "bfnrt";
  constexpr std::string_view kMeant = "\b\f\n\r\t";
  constexpr uint32_t kReplacement = 0xFFFD;
  if (text[at + 1] != 'u') {
    const size_t letter = kLetters.find(text[at + 1]);
    out += letter == std::string_view::npos ? text[at + 1] : kMeant[letter];
    at += 2;
    return;
  }
  uint32_t point = UnicodeEscape(text, at).value_or(kReplacement);
  at += 6;
  if (point >= 0xD800 && point < 0xE000) {
    const uint32_t low = point < 0xDC00 ? UnicodeEscape(text, at).value_or(0) : 0;
    const bool is_pair = low >= 0xDC00 && low < 0xE000;
    point = is_pair ? 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00) : kReplacement;
    if (is_pair) at += 6;
  }
  AppendUtf8(out, point);
}

std::string Unescaped(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\\') {
      AppendEscape(text, at, out);
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace

bool IsMember(std::string_view name, std::string_view field) {
  return std::ranges::equal(name, field, {}, Lower, Lower);
}

void JsonCursor::Fail(std::string why) {
  if (problem_.empty()) problem_ = std::move(why);
  at_ = text_.size();
}

void JsonCursor::FailUnexpected(std::string_view expected) {
  const char c = Peek();
  if (c == 0)
    return Fail(at_ == text_.size() && text_.find_first_not_of(" \t\r\n") == std::string_view::npos ? "EOF"
                                                                                                    : "unexpected EOF");
  const bool is_printable = c >= ' ' && c < 0x7f;
  Fail(fmt::format("{} expected at byte {}, not {}", expected, at_,
                   is_printable ? fmt::format("'{}'", c) : fmt::format("0x{:02x}", static_cast<unsigned char>(c))));
}

char JsonCursor::Peek() {
  while (at_ < text_.size() && IsBlank(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonCursor::TakeWord(std::string_view word) {
  Peek();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool JsonCursor::TakeNull() { return TakeWord("null"); }

bool JsonCursor::Enter(char open, std::string_view expected) {
  if (TakeNull()) return false;
  if (Peek() != open) {
    FailUnexpected(expected);
    return false;
  }
  ++at_;
  first_ = true;
  return true;
}

bool JsonCursor::EnterMap() { return Enter('{', "a map"); }
bool JsonCursor::EnterList() { return Enter('[', "a list"); }

bool JsonCursor::Next(char close) {
  const bool first = std::exchange(first_, false);
  const char c = Peek();
  if (c == close) {
    ++at_;
    return false;
  }
  if (!first && c != ',') {
    FailUnexpected(close == '}' ? "',' or '}'" : "',' or ']'");
    return false;
  }
  if (!first) ++at_;
  return problem_.empty();
}

bool JsonCursor::NextItem() { return Next(']'); }

std::optional<std::string_view> JsonCursor::NextMember() {
  if (!Next('}')) return std::nullopt;
  const std::string_view key = TakeKey();
  if (!problem_.empty()) return std::nullopt;
  if (!escaped_) return key;
  name_ = Unescaped(key);
  return name_;
}

std::string_view JsonCursor::TakeKey() {
  const std::string_view key = TakeString();
  if (Peek() != ':') {
    FailUnexpected("':'");
    return {};
  }
  ++at_;
  return key;
}

std::string_view JsonCursor::TakeString() {
  constexpr std::string_view kEscapes = "\"\\/bfnrtu";
  escaped_ = false;
  if (Peek() != '"') {
    FailUnexpected("a string");
    return {};
  }
  const size_t begin = ++at_;
  unsigned char seen = 0;  // all bits of all characters
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      is_ascii_ = seen < 0x80;
      return text_.substr(begin, at_++ - begin);
    }
    seen |= static_cast<unsigned char>(c);
    if (static_cast<unsigned char>(c) < 0x20) {
      Fail(fmt::format("a control character in a string at byte {}", at_));
      return {};
    }
    if (c != '\\') {
      ++at_;
      continue;
    }
    escaped_ = true;
    if (text_.find('"', at_ + 1) == std::string_view::npos) break;  // cut off
    const char letter = text_[at_ + 1];
    const bool is_whole = letter != 'u' || UnicodeEscape(text_, at_).has_value();
    if (kEscapes.find(letter) == std::string_view::npos || !is_whole) {
      Fail(fmt::format("an escape that means nothing in a string at byte {}", at_));
      return {};
    }
    at_ += 2;
  }
  Fail("unexpected EOF");
  return {};
}

std::string JsonCursor::Text() {
  if (TakeNull()) return {};
  const std::string_view raw = TakeString();
  if (is_ascii_ && !escaped_) return std::string(raw);
  std::string text = is_ascii_ ? std::string(raw) : api::RepairedText(raw);
  return escaped_ ? Unescaped(text) : text;
}

bool JsonCursor::TakeDigits() {
  const size_t begin = at_;
  while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
  if (at_ > begin) return true;
  FailUnexpected("a digit");
  return false;
}

std::string_view JsonCursor::TakeNumber() {
  const char first = Peek();
  const size_t begin = at_;
  if (first != '-' && !IsDigit(first)) {
    FailUnexpected("a number");
    return {};
  }
  const auto next_is = [&](std::string_view any) {
    return at_ < text_.size() && any.find(text_[at_]) != std::string_view::npos;
  };
  if (first == '-') ++at_;
  if (next_is("0")) {
    ++at_;
  } else if (!TakeDigits()) {
    return {};
  }
  if (next_is(".")) {
    ++at_;
    if (!TakeDigits()) return {};
  }
  if (next_is("eE")) {
    ++at_;
    if (next_is("+-")) ++at_;
    if (!TakeDigits()) return {};
  }
  return text_.substr(begin, at_ - begin);
}

int64_t JsonCursor::Number() {
  if (TakeNull()) return 0;
  const std::string_view text = TakeNumber();
  if (!problem_.empty()) return 0;
  int64_t number = 0;
  const auto [stopped, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed == std::errc{} && stopped == text.data() + text.size()) return number;
  Fail(fmt::format("{} is no integer of 64 bits", text));
  return 0;
}

void JsonCursor::SkipScalar() {
  const char c = Peek();
  if (c == '"') {
    TakeString();
  } else if (c == '-' || IsDigit(c)) {
    TakeNumber();
  } else if (!TakeWord("null") && !TakeWord("true") && !TakeWord("false")) {
    FailUnexpected("a value");
  }
}

bool JsonCursor::SkipToNextValue(std::string& open) {
  while (!open.empty() && problem_.empty()) {
    if (Next(open.back())) {
      if (open.back() == '}') TakeKey();
      return true;
    }
    open.pop_back();
  }
  return false;
}

void JsonCursor::Skip() {
  std::string open;  // what ends each map and list around this place
  do {
    const char c = Peek();
    if (c != '{' && c != '[') {
      SkipScalar();
      continue;
    }
    if (open.size() >= kMaxDepth) return Fail("exceeded max depth");
    ++at_;
    open += c == '{' ? '}' : ']';
    first_ = true;
  } while (SkipToNextValue(open));
  first_ = false;
}

}  // namespace berth::extender
