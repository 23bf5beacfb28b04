// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string_view>

namespace berth::cmd {

// The exit codes of all commands. An interrupted command is terminated by the signal: 130.
inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;  // could not be done
inline constexpr int kExitUsage = 2;   // wrong command line
inline constexpr int kExitNo = 3;      // done, and the answer is "no"

// Where a command writes: answers to `out`, everything else to `err`.
struct Streams {
  std::ostream* out;
  std::ostream* err;
  bool out_is_terminal = false;
  size_t width = 100;
  bool err_is_terminal = false;
};

// Standard output and error of the process.
Streams ProcessStreams();

// Returns whether to colour, by the --color flag ("auto", "always", "never"). Auto colours on a terminal unless
// NO_COLOR or TERM=dumb is set; CLICOLOR_FORCE colours even without a terminal.
bool WantsColour(std::string_view flag, const Streams& streams);

}  // namespace berth::cmd
