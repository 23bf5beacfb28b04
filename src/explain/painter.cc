// SPDX-License-Identifier: Apache-2.0
#include "explain/painter.h"

#include <fmt/format.h>

namespace berth::explain {
namespace {

std::string_view CodeOf(Tone tone) {
  switch (tone) {
    case Tone::Good: return "32";
    case Tone::Bad: return "31";
    case Tone::Warning: return "33";
    case Tone::Quiet: return "2";
    case Tone::Heading: return "1";
    case Tone::Plain: break;
  }
  return "";
}

}  // namespace

std::string Painter::operator()(Tone tone, std::string_view text) const {
  if (!colour_ || tone == Tone::Plain || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", CodeOf(tone), text);
}

std::string Printable(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const bool is_c1 = byte == 0xC2U && next >= 0x80U && next <= 0x9FU;  // the 8-bit escapes, as UTF-8 writes them
    if (is_c1) ++i;
    clean += byte < 0x20U || byte == 0x7FU || is_c1 ? '?' : text[i];
  }
  return clean;
}

}  // namespace berth::explain
