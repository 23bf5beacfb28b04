// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace berth::net {

// Frames as a client of HTTP/2 writes them byte by byte: for what no library would send.

inline constexpr uint8_t kTestData = 0;
inline constexpr uint8_t kTestHeaders = 1;
inline constexpr uint8_t kTestReset = 3;
inline constexpr uint8_t kTestSettings = 4;
inline constexpr uint8_t kTestPing = 6;
inline constexpr uint8_t kTestGoaway = 7;
inline constexpr uint8_t kTestWindow = 8;

inline constexpr uint8_t kTestEndStream = 1;
inline constexpr uint8_t kTestEndHeaders = 4;

inline std::string TestNumber(uint32_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>((value >> (8U * static_cast<unsigned>(i))) & 0xffU);
  return text;
}

inline std::string TestFrame(uint8_t type, uint8_t flags, int32_t stream, const std::string& payload = {}) {
  return TestNumber(static_cast<uint32_t>(payload.size()), 3) + static_cast<char>(type) + static_cast<char>(flags) +
         TestNumber(static_cast<uint32_t>(stream), 4) + payload;
}

// What a client says first: streams may be sent so many bytes before it asks for more.
inline std::string TestGreeting(uint32_t window) {
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + TestFrame(kTestSettings, 0, 0, TestNumber(4, 2) + TestNumber(window, 4));
}

// GET https://h/, the rest of its header as HPACK has it.
inline std::string TestGet(int32_t stream, const std::string& more = {}, uint8_t flags = kTestEndStream) {
  return TestFrame(kTestHeaders, kTestEndHeaders | flags, stream, "\x82\x87\x84\x01\x01h" + more);
}

// A header of this name, and a value of so many bytes; from now on \xbe stands for it. At least 127 bytes.
inline std::string TestRemembered(char name, size_t size) {
  std::string text = std::string("\x40\x01") + name + '\x7f';
  size_t rest = size - 127;
  for (; rest >= 128; rest /= 128) text += static_cast<char>(128 + rest % 128);
  return text + static_cast<char>(rest) + std::string(size, 'x');
}

}  // namespace berth::net
