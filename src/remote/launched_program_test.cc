// SPDX-License-Identifier: Apache-2.0
// Programs as the shell makes them: that crash, hang, talk too much.
#include "remote/launched_program.h"

#include "base/mutex.h"
#include "log/logger.h"
#include "log/output.h"
#include "remote/launched_programs.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace berth::remote {
namespace {

using std::chrono::milliseconds;

// A log that can be waited for.
class LogText final : public std::streambuf {
 public:
  std::string Text() {
    const MutexLock lock(mutex_);
    return text_;
  }
  // The number of times that the log has it.
  void WaitFor(const std::string& what, size_t times = 1) {
    const MutexLock lock(mutex_);
    while (true) {
      size_t found = 0;
      for (size_t at = 0; (at = text_.find(what, at)) != std::string::npos; ++at) ++found;
      if (found >= times) return;
      const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
      if (!changed_.WaitUntil(mutex_, limit)) throw std::runtime_error("the log lacks '" + what + "':\n" + text_);
    }
  }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const MutexLock lock(mutex_);
    text_.append(text, static_cast<size_t>(size));
    changed_.NotifyAll();
    return size;
  }
  int overflow(int byte) override {
    const char c = static_cast<char>(byte);
    xsputn(&c, 1);
    return byte;
  }

  Mutex mutex_;
  CondVar changed_;
  std::string text_ BERTH_GUARDED_BY(mutex_);
};

class LaunchedProgramTest : public testing::Test {
 protected:
  ProgramOptions Shell(const std::string& script) {
    return {.plugin = "Tested",
            .command = {"sh", "-c", script},
            .first_pause = milliseconds(1),
            .longest_pause = milliseconds(20)};
  }
  std::unique_ptr<LaunchedProgram> Launch(const ProgramOptions& options) {
    auto launched = LaunchedProgram::Launch(options, log::Logger(output_, "remote"));
    BERTH_CHECK(launched.has_value());
    return std::move(*launched);
  }
  static bool Exists(pid_t pid) { return kill(pid, 0) == 0; }

  LogText text_;
  std::ostream stream_{&text_};
  SystemClock clock_;
  log::Output output_{stream_, clock_, {}};
};

TEST_F(LaunchedProgramTest, FindsItsEndpointInAFolderOfItsOwn) {
  const auto program = Launch(Shell("echo \"listening at $BERTH_PLUGIN_ENDPOINT\"; echo problem >&2; exec sleep 1000"));
  text_.WaitFor("listening at " + program->endpoint());
  text_.WaitFor("line=\"problem\"");
  const std::filesystem::path socket = program->endpoint().substr(7);
  struct stat folder = {};
  ASSERT_EQ(stat(socket.parent_path().c_str(), &folder), 0);
  EXPECT_EQ(folder.st_mode & 0777U, 0700U);
  EXPECT_EQ(program->problem(), "");
  EXPECT_NE(program->pid(), 0);
}

TEST_F(LaunchedProgramTest, EndsWithItsOwnerAndLeavesNothing) {
  auto program = Launch(Shell("trap 'echo asked to end; exit 0' TERM; echo ready; while :; do sleep 0.01; done"));
  text_.WaitFor("ready");
  const pid_t pid = program->pid();
  const std::filesystem::path folder = std::filesystem::path(program->endpoint().substr(7)).parent_path();
  program.reset();
  EXPECT_FALSE(Exists(pid));
  EXPECT_FALSE(std::filesystem::exists(folder));
  text_.WaitFor("asked to end");
  text_.WaitFor("ending=\"exit status 0\"");
}

TEST_F(LaunchedProgramTest, IsKilledWhenItDoesNotEnd) {
  ProgramOptions options = Shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  options.grace = milliseconds(20);
  auto program = Launch(options);
  text_.WaitFor("ready");
  const pid_t pid = program->pid();
  program.reset();
  EXPECT_FALSE(Exists(pid));
  text_.WaitFor("does not end when asked to, and is killed");
  text_.WaitFor("ending=\"signal 9 (Killed)\"");
}

// The test becomes the parent of orphans, to see them end.
TEST_F(LaunchedProgramTest, WhatItHasStartedEndsWithIt) {
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  auto program = Launch(Shell("sleep 1000 & echo \"child $!.\"; exit 3"));
  text_.WaitFor("ending=\"exit status 3\"");
  const std::string text = text_.Text();
  const auto child = static_cast<pid_t>(std::stol(text.substr(text.find("child ") + 6)));
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  program.reset();
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(LaunchedProgramTest, OneThatCrashesIsStartedAgainAfterLongerAndLongerPauses) {
  const auto program = Launch(Shell("kill -SEGV $$"));
  text_.WaitFor("ending=\"signal 11 (Segmentation fault)\"", 8);
  EXPECT_GE(program->starts(), 8u);
  for (const std::string pause : {"1ms", "2ms", "4ms", "8ms", "16ms", "20ms"}) text_.WaitFor("pause=\"" + pause + "\"");
  text_.WaitFor("pause=\"20ms\"", 2);
  EXPECT_EQ(text_.Text().find("pause=\"32ms\""), std::string::npos);
}

TEST_F(LaunchedProgramTest, PausesAreShortAgainAfterItWasWell) {
  ProgramOptions options = Shell("exit 1");
  options.healthy_after = {};
  const auto program = Launch(options);
  text_.WaitFor("pause=\"1ms\"", 5);
  EXPECT_EQ(text_.Text().find("pause=\"2ms\""), std::string::npos);
}

TEST_F(LaunchedProgramTest, WhatCannotBeExecutedIsNamed) {
  const auto problem = [&](const std::string& program, const std::string& expected) {
    ProgramOptions options = Shell("");
    options.command = {program};
    const auto launched = Launch(options);
    text_.WaitFor("reason=\"cannot start '" + program + "': " + expected + "\"");
    while (launched->problem().empty()) std::this_thread::yield();
    EXPECT_EQ(launched->problem(), "cannot start '" + program + "': " + expected);
    EXPECT_EQ(launched->starts(), 0u);
  };
  problem("/missing/plugin", "cannot execute it: No such file or directory");
  problem("no-such-plugin", "there is no program 'no-such-plugin' in PATH");
  problem("/tmp", "cannot execute it: Permission denied");
  std::string file = (std::filesystem::temp_directory_path() / "berth-program-XXXXXX").string();
  close(mkstemp(file.data()));
  std::ofstream(file) << "neither a script nor a binary";
  problem(file, "cannot execute it: Permission denied");
  chmod(file.c_str(), 0700);
  problem(file, "cannot execute it: Exec format error");
  std::filesystem::remove(file);
}

TEST_F(LaunchedProgramTest, AFloodOfOutputIsReadAndMostlyLeftOut) {
  const auto program = Launch(Shell("yes 'the same again' | head -c 20000000 >&2; echo; echo done; exec sleep 1000"));
  while (program->starts() == 0) std::this_thread::yield();
  text_.WaitFor("lines were left out");
  EXPECT_LT(text_.Text().size(), size_t{2'000'000});
  EXPECT_EQ(program->starts(), 1u);
}

TEST_F(LaunchedProgramTest, WhatItMayUseIsLimited) {
  ProgramOptions options = Shell("echo \"files $(ulimit -n) memory $(ulimit -v)\"; exec sleep 1000");
  options.limits = {.memory_bytes = size_t{512} << 20U, .open_files = 64, .processes = 1'000'000};
  const auto program = Launch(options);
  text_.WaitFor("files 64 memory 524288");
}

TEST_F(LaunchedProgramTest, InheritsNoDescriptorsAndNoBlockedSignals) {
  const int open_one = dup(STDERR_FILENO);  // without close-on-exec
  sigset_t blocked = {};
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigset_t before = {};
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto program =
      Launch(Shell("n=3; while [ $n -lt 64 ]; do [ -e /proc/$$/fd/$n ] && echo \"leaked $n\"; n=$((n + 1)); done; "
                   "echo checked; grep SigBlk /proc/self/status; exec sleep 1000"));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  text_.WaitFor("checked");
  text_.WaitFor("0000000000000000");
  EXPECT_EQ(text_.Text().find("leaked"), std::string::npos) << text_.Text();
  close(open_one);
}

// The owner is a process that is killed; the test hears of the program's end by a pipe that only the program has.
TEST_F(LaunchedProgramTest, DoesNotOutliveAProcessThatIsKilled) {
  const std::string fifo =
      (std::filesystem::temp_directory_path() / ("berth-fifo-" + std::to_string(getpid()))).string();
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const pid_t owner = fork();
  if (owner == 0) {
    const auto program = Launch(Shell("exec 9> " + fifo + "; echo . >&9; trap '' TERM; while :; do sleep 0.01; done"));
    while (true) pause();
  }
  std::ifstream held(fifo);
  std::string line;
  ASSERT_TRUE(std::getline(held, line));
  kill(owner, SIGKILL);
  ASSERT_EQ(waitpid(owner, nullptr, 0), owner);
  EXPECT_FALSE(std::getline(held, line));  // until whoever had it open has gone
  std::filesystem::remove(fifo);
}

TEST_F(LaunchedProgramTest, ProfilesShareAProcess) {
  LaunchedPrograms programs{log::Logger(output_, "remote")};
  const auto one = programs.Launch(Shell("exec sleep 1000"));
  auto two = programs.Launch(Shell("exec sleep 1000"));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->get(), two->get());
  const auto other = programs.Launch(Shell("exec sleep 2000"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "the plugin Tested is launched by 'sh -c exec sleep 1000' already, in another way than by "
            "'sh -c exec sleep 2000'");
  ProgramOptions named = Shell("exec sleep 1000");
  named.plugin = "Another";
  const auto third = programs.Launch(named);
  ASSERT_TRUE(third);
  EXPECT_NE(third->get(), one->get());
}

}  // namespace
}  // namespace berth::remote
