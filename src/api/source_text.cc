// SPDX-License-Identifier: Apache-2.0
#include "api/source_text.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace berth::api {
namespace {

constexpr size_t kInvalid = 0;

bool IsTail(unsigned char c) { return (c & 0xC0U) == 0x80U; }

// The length of the UTF-8 sequence at the start of `text`, or kInvalid.
size_t SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) -> unsigned char {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const unsigned char first = byte(0);
  if (first < 0x80U) return 1;
  if (first < 0xC2U) return kInvalid;
  if (!IsTail(byte(1))) return kInvalid;
  if (first < 0xE0U) return 2;
  if (!IsTail(byte(2))) return kInvalid;
  if (first < 0xF0U) {
    // Neither overlong forms nor surrogates.
    const bool overlong = first == 0xE0U && byte(1) < 0xA0U;
    const bool surrogate = first == 0xEDU && byte(1) >= 0xA0U;
    return overlong || surrogate ? kInvalid : 3;
  }
  if (!IsTail(byte(3)) || first > 0xF4U) return kInvalid;
  const bool overlong = first == 0xF0U && byte(1) < 0x90U;
  const bool beyond = first == 0xF4U && byte(1) >= 0x90U;
  return overlong || beyond ? kInvalid : 4;
}

bool IsAscii(std::string_view text) {
  unsigned char all = 0;
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return all < 0x80U;
}

size_t SkipAscii(std::string_view text, size_t at) {
  constexpr uint64_t kHighBits = 0x8080808080808080U;
  for (uint64_t word = 0; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  return at;
}

}  // namespace

Position LineCounter::At(size_t offset) {
  while (seen_ < offset) {
    const void* newline = std::memchr(text_.data() + seen_, '\n', offset - seen_);
    if (newline == nullptr) {
      seen_ = offset;
      break;
    }
    seen_ = static_cast<size_t>(static_cast<const char*>(newline) - text_.data()) + 1;
    line_start_ = seen_;
    ++line_;
  }
  return {line_, static_cast<uint32_t>(offset - line_start_ + 1)};
}

Error ErrorAt(std::string_view source, Position at, std::string_view message) {
  return InvalidError(fmt::format("{}:{}:{}: {}", source, at.line, at.column, message));
}

Result<void> CheckText(std::string_view text, std::string_view source) {
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return ErrorAt(source, LineCounter(text).At(nul), "input is not text: it holds a NUL byte");
  }
  for (size_t at = SkipAscii(text, 0); at < text.size(); at = SkipAscii(text, at)) {
    const size_t length = SequenceLength(text.substr(at));
    if (length == kInvalid) return ErrorAt(source, LineCounter(text).At(at), "input is not text: invalid UTF-8");
    at += length;
  }
  return {};
}

std::string RepairedText(std::string_view text) {
  if (IsAscii(text)) return std::string(text);
  std::string repaired;
  size_t copied = 0;
  for (size_t at = SkipAscii(text, 0); at < text.size(); at = SkipAscii(text, at)) {
    const size_t length = SequenceLength(text.substr(at));
    if (length == kInvalid) {
      repaired.append(text.substr(copied, at - copied)).append("\xEF\xBF\xBD");
      copied = at + 1;
    }
    at += std::max<size_t>(length, 1);
  }
  return repaired.append(text.substr(copied));
}

const Value::Member* FindDuplicateKey(const Value::Members& members) {
  constexpr size_t kFewMembers = 12;  // below, comparing all pairs beats sorting
  if (members.size() <= kFewMembers) {
    for (size_t i = 1; i < members.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (members[i].key == members[j].key) return &members[i];
      }
    }
    return nullptr;
  }
  std::vector<const Value::Member*> sorted;
  sorted.reserve(members.size());
  for (const Value::Member& member : members) sorted.push_back(&member);
  std::ranges::sort(sorted, [](const auto* a, const auto* b) { return a->key != b->key ? a->key < b->key : a < b; });
  const Value::Member* first = nullptr;
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i]->key == sorted[i - 1]->key && (first == nullptr || sorted[i] < first)) first = sorted[i];
  }
  return first;
}

std::string DuplicateKeyMessage(std::string_view key) { return fmt::format("key \"{}\" already set in map", key); }

}  // namespace berth::api
