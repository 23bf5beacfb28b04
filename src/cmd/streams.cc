// SPDX-License-Identifier: Apache-2.0
#include "cmd/streams.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sys/ioctl.h>
#include <unistd.h>

namespace berth::cmd {
namespace {

constexpr size_t kWidthWithoutTerminal = 100;
constexpr size_t kNarrowest = 60;
constexpr size_t kWidest = 160;  // longer lines are hard to follow

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

size_t TerminalWidth() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidthWithoutTerminal;
  return std::clamp<size_t>(size.ws_col, kNarrowest, kWidest);
}

}  // namespace

Streams ProcessStreams() {
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  return {&std::cout, &std::cerr, terminal, terminal ? TerminalWidth() : kWidthWithoutTerminal,
          isatty(STDERR_FILENO) == 1};
}

bool WantsColour(std::string_view flag, const Streams& streams) {
  if (flag == "always") return true;
  if (flag == "never" || !Environment("NO_COLOR").empty()) return false;
  const std::string_view force = Environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return streams.out_is_terminal && Environment("TERM") != "dumb";
}

}  // namespace berth::cmd
