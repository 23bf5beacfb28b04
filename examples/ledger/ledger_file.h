// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <berth/plugin.h>

#include <condition_variable>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace ledger {

// Appends lines to a file, on a thread of its own: whoever has a line to write never waits for the disk. Any thread may
// append. Lines that cannot be written are lost, and their number is told once writing works again, or at the end.
class LedgerFile {
 public:
  using Complain = std::function<void(const std::string& problem)>;

  // Fails when the file cannot be opened. `complain` is called on the writing thread.
  static berth::Result<std::unique_ptr<LedgerFile>> Open(const std::string& path, Complain complain);
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;
  // Writes what is left.
  ~LedgerFile();

  void Append(const berth::api::Value& record);

 private:
  LedgerFile(std::string path, std::FILE* file, Complain complain);
  void WriteUntilEnd();
  void Write(const std::string& lines);

  const std::string path_;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  const Complain complain_;
  size_t lost_ = 0;  // on the writing thread
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;  // guarded by mutex_
  bool ends_ = false;    // guarded by mutex_
  std::thread writer_;   // last: it uses the rest
};

}  // namespace ledger
