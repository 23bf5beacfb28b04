// SPDX-License-Identifier: Apache-2.0
#include "config/first_document.h"

namespace berth::config {
namespace {

bool IsMarker(std::string_view line, std::string_view marker) {
  return line.starts_with(marker) && (line.size() == marker.size() ||
                                      std::string_view(" \t\r").find(line[marker.size()]) != std::string_view::npos);
}

bool IsBlankOrComment(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

}  // namespace

std::string_view FirstDocument(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) return text;
  bool begun = false;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    const std::string_view line = text.substr(start, end == std::string_view::npos ? end : end - start);
    if (IsMarker(line, "...") && begun) return text.substr(0, start);
    if (IsMarker(line, "---")) {
      if (begun) return text.substr(0, start);
      begun = true;
    } else if (!IsBlankOrComment(line) && !line.starts_with('%')) {
      begun = true;
    }
    if (end == std::string_view::npos) break;
    start = end + 1;
  }
  return text;
}

}  // namespace berth::config
