// SPDX-License-Identifier: Apache-2.0
#include "text/painter.h"

#include <fmt/format.h>

namespace berth::text {
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

}  // namespace berth::text
