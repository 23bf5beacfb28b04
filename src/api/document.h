// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/value.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace berth::api {

// One document of a file, or of standard input (source "-").
struct Document {
  std::string source;
  Value root;
};

// How far the readers go before they call input hostile.
struct ReadLimits {
  size_t max_bytes = size_t{1} << 30U;
  size_t max_depth = 256;
  size_t max_alias_nodes = 100'000;  // nodes that YAML aliases may add by copying
};

// Reads every document of `text`: JSON when it begins with '{' or '[' (one value, or one per line), YAML otherwise.
// Duplicate keys, aliases that contain themselves and alias bombs are errors. Messages name source, line and column.
Result<std::vector<Document>> ReadDocuments(std::string_view text, std::string_view source,
                                            const ReadLimits& limits = {});

// The same for a file; "-" reads standard input to its end.
Result<std::vector<Document>> ReadDocumentsFromFile(const std::string& path, const ReadLimits& limits = {});

// The text of a file, or of standard input for "-".
Result<std::string> ReadText(const std::string& path, const ReadLimits& limits = {});

// Compact JSON when `indent` is 0. Member order is kept.
std::string ToJson(const Value& value, int indent = 0);
std::string ToYaml(const Value& value);

}  // namespace berth::api
