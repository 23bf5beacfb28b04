// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace berth::remote {

// An open descriptor with one owner.
class OwnedDescriptor {
 public:
  explicit OwnedDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
  ~OwnedDescriptor() { Close(); }
  OwnedDescriptor(OwnedDescriptor&& other) noexcept;
  OwnedDescriptor& operator=(OwnedDescriptor&& other) noexcept;

  int get() const { return descriptor_; }
  void Close();

 private:
  int descriptor_;
};

// What a process and all that it starts may use; 0: as much as this process may.
struct ProcessLimits {
  uint64_t memory_bytes = 0;  // of address space
  uint64_t open_files = 0;
  uint64_t processes = 0;  // of the user it runs as, threads included

  bool operator==(const ProcessLimits&) const = default;
};

struct ProcessSetup {
  std::vector<std::string> command = {};      // a program without a slash is looked for in PATH
  std::vector<std::string> environment = {};  // "NAME=value", over this process's own
  ProcessLimits limits = {};
};

// A process that leads a group of its own, and is killed when the thread that started it ends. One thread.
class ChildProcess {
 public:
  // The error says what could not be done: that there is no such program, for one.
  static Result<ChildProcess> Start(const ProcessSetup& setup);
  ~ChildProcess();  // kills the group and waits
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  pid_t pid() const { return pid_; }
  // Readable when the process has ended.
  int end_descriptor() const { return end_.get(); }
  // What it writes to its standard output and error output; never blocks.
  int output_descriptor() const { return output_.get(); }

  // To the whole group.
  void Signal(int signal) const;
  // When it has ended: kills what is left of its group. Says how it ended: "exit status 3", "signal 9 (Killed)".
  std::string Reap();

 private:
  ChildProcess(pid_t pid, OwnedDescriptor end, OwnedDescriptor output);

  pid_t pid_;  // 0: it is reaped, or another's
  OwnedDescriptor end_;
  OwnedDescriptor output_;
};

}  // namespace berth::remote
