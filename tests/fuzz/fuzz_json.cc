// SPDX-License-Identifier: Apache-2.0
#include "api/json_reader.h"
#include "api/manifest.h"
#include "api/source_text.h"
#include "base/check.h"

#include <cstdint>

using namespace berth::api;

// Whatever reads as JSON is written back and read again to the same text, and decodes or is refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!CheckText(text, "fuzz")) return 0;
  const auto values = ReadJson(text, "fuzz", {});
  if (!values) return 0;
  std::vector<Document> documents;
  for (const Value& value : *values) {
    const std::string written = ToJson(value);
    const auto again = ReadJson(written, "again", {});
    BERTH_CHECK(again.has_value() && again->size() == 1);
    BERTH_CHECK(ToJson(again->front()) == written);
    documents.push_back({"fuzz", value});
  }
  static_cast<void>(ParseManifests(std::move(documents)));
  return 0;
}
