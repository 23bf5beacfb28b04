// SPDX-License-Identifier: Apache-2.0
#include "kube/access/surroundings.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <utility>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace berth::kube {
namespace {

constexpr size_t kMaxFileBytes = size_t{64} << 20U;

Error FileError(int number) {
  std::string why = std::strerror(number);
  if (why.starts_with('N')) why[0] = 'n';  // "no such file or directory", as everyone knows it from client-go
  return {number == ENOENT ? ErrorCode::NotFound : ErrorCode::Unavailable, std::move(why)};
}

}  // namespace

std::string Surroundings::Variable(std::string_view name) const {
  const auto found = variables.find(name);
  return found != variables.end() ? found->second : std::string();
}

Result<std::string> ReadWholeFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return FileError(errno);
  std::string content;
  std::array<char, 16384> piece{};
  while (true) {
    const ssize_t got = read(file, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    const int number = errno;
    if (got <= 0 || content.size() > kMaxFileBytes) {
      close(file);
      if (got < 0) return FileError(number);
      if (got > 0) return Error{ErrorCode::Invalid, "is larger than 64 MiB"};
      return content;
    }
    content.append(piece.data(), static_cast<size_t>(got));
  }
}

Surroundings OfThisProcess() {
  Surroundings surroundings;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const size_t sign = text.find('=');
    if (sign == std::string_view::npos || sign == 0) continue;
    surroundings.variables.emplace(text.substr(0, sign), text.substr(sign + 1));
  }
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::current_path(failed);
  if (!failed) surroundings.working_folder = folder.string();
  surroundings.read_file = ReadWholeFile;
  surroundings.stdin_is_terminal = isatty(STDIN_FILENO) == 1;
  return surroundings;
}

}  // namespace berth::kube
