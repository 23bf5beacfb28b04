// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/test_fixtures.h"

#include "api/document.h"

#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

namespace berth::kube::proto {
namespace {

std::string FromBase64(std::string_view text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  unsigned count = 0;
  for (const char digit : text.substr(0, text.find('='))) {
    bits = (bits << 6U) | static_cast<uint32_t>(kDigits.find(digit));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xFFU);
  }
  return bytes;
}

}  // namespace

std::vector<Fixture> ReadFixtures(std::string_view form) {
  const char* other = std::getenv("BERTH_PROTO_FIXTURES");
  const auto documents = api::ReadDocumentsFromFile(
      other != nullptr ? other : BERTH_SOURCE_DIR "/tests/kubernetes/fixtures/objects.jsonl");
  if (!documents) {
    ADD_FAILURE() << documents.error().message;
    return {};
  }
  std::vector<Fixture> fixtures;
  for (const api::Document& line : *documents) {
    const auto text = [&](std::string_view key) { return line.root.Find(key)->text(); };
    if (text("form") != form) continue;
    fixtures.push_back({text("name"), text("form"), *line.root.Find("json"), FromBase64(text("proto"))});
  }
  return fixtures;
}

}  // namespace berth::kube::proto
