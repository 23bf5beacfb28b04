// SPDX-License-Identifier: Apache-2.0
#include "config/fields/base64.h"

#include <cstdint>

namespace berth::config {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  size_t digits = 0;
  size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos || padding > 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<uint32_t>(digit);
    const size_t place = digits++ % 4;  // the second, third and fourth digits each complete a byte
    if (place != 0) bytes.push_back(static_cast<char>((bits >> (6U - 2U * place)) & 0xffU));
  }
  if ((digits + padding) % 4 != 0 || padding > 2) return std::nullopt;
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t at) {
      return at < bytes.size() ? static_cast<uint32_t>(static_cast<unsigned char>(bytes[at])) : 0U;
    };
    const uint32_t bits = (byte(i) << 16U) | (byte(i + 1) << 8U) | byte(i + 2);
    const size_t given = bytes.size() - i;
    text.push_back(kDigits[bits >> 18U]);
    text.push_back(kDigits[(bits >> 12U) & 63U]);
    text.push_back(given > 1 ? kDigits[(bits >> 6U) & 63U] : '=');
    text.push_back(given > 2 ? kDigits[bits & 63U] : '=');
  }
  return text;
}

}  // namespace berth::config
