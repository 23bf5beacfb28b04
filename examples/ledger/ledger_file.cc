// SPDX-License-Identifier: Apache-2.0
#include "ledger_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ledger {

using berth::Result;

namespace {

std::string Why(const std::string& what, const std::string& path) {
  return "cannot " + what + " " + path + ": " + std::strerror(errno);
}

}  // namespace

Result<std::unique_ptr<LedgerFile>> LedgerFile::Open(const std::string& path, Complain complain) {
  // Appending, so that several programs may share a file: lines are written as a whole.
  std::FILE* const file = std::fopen(path.c_str(), "ae");
  if (file == nullptr) return berth::InvalidError(Why("open", path));
  return std::unique_ptr<LedgerFile>(new LedgerFile(path, file, std::move(complain)));
}

LedgerFile::LedgerFile(std::string path, std::FILE* file, Complain complain)
    : path_(std::move(path)), file_(file, &std::fclose), complain_(std::move(complain)) {
  std::setvbuf(file, nullptr, _IONBF, 0);
  writer_ = std::thread([this] { WriteUntilEnd(); });
}

LedgerFile::~LedgerFile() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  writer_.join();
}

void LedgerFile::Append(const berth::api::Value& record) {
  const std::string line = berth::api::ToJson(record) + "\n";
  {
    const std::lock_guard lock(mutex_);
    waiting_ += line;
  }
  changed_.notify_one();
}

void LedgerFile::WriteUntilEnd() {
  while (true) {
    std::string lines;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
      if (waiting_.empty()) break;
      lines.swap(waiting_);
    }
    Write(lines);
  }
  if (lost_ > 0) complain_(std::to_string(lost_) + " lines were lost for " + path_);
}

void LedgerFile::Write(const std::string& lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), file_.get()) == lines.size()) {
    if (lost_ > 0) complain_(std::to_string(lost_) + " lines were lost for " + path_ + ", which can be written again");
    lost_ = 0;
    return;
  }
  if (lost_ == 0) complain_(Why("write", path_));
  std::clearerr(file_.get());
  lost_ += static_cast<size_t>(std::count(lines.begin(), lines.end(), '\n'));
}

}  // namespace ledger
