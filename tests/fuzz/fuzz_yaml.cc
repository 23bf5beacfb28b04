// SPDX-License-Identifier: Apache-2.0
#include "api/manifest.h"
#include "api/source_text.h"
#include "api/yaml_reader.h"
#include "base/check.h"

#include <cstdint>

using namespace berth::api;

// Whatever reads as YAML is written as YAML and read again to the same document, and decodes or is refused.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!CheckText(text, "fuzz")) return 0;
  const ReadLimits limits{.max_bytes = 1 << 20, .max_depth = 64, .max_alias_nodes = 10'000};
  const auto values = ReadYaml(text, "fuzz", limits);
  if (!values) return 0;
  std::vector<Document> documents;
  for (const Value& value : *values) {
    const auto again = ReadYaml(ToYaml(value), "again", {});
    BERTH_CHECK(again.has_value() && again->size() == 1);
    BERTH_CHECK(ToJson(again->front()) == ToJson(value));
    documents.push_back({"fuzz", value});
  }
  static_cast<void>(ParseManifests(std::move(documents)));
  return 0;
}
