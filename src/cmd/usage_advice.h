// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace berth::cmd {

// "berth config check": the command that was parsed.
std::string ReachedCommand(const CLI::App& app);

// What is wrong with the command line, why, and what to do instead.
std::string Complaint(const CLI::App& app, const CLI::ParseError& error);

}  // namespace berth::cmd
