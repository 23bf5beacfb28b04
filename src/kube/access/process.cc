// SPDX-License-Identifier: Apache-2.0
#include "kube/access/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace berth::kube {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr size_t kKeptErrorBytes = 4096;
// How often we look whether the program has ended while something it left behind keeps its output open.
constexpr std::chrono::milliseconds kLookAgain{20};
constexpr std::chrono::seconds kWaitForKilled{2};

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void Set(int number) { number_ = number; }
  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

struct Pipe {
  Descriptor read_end;
  Descriptor write_end;

  bool Open() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end.Set(ends[0]);
    write_end.Set(ends[1]);
    return true;
  }
};

std::vector<char*> PointersTo(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// One run of a program. Lives within RunProcess.
class Run {
 public:
  explicit Run(const ProcessRequest& request) : request_(request) {}

  Result<void> Start();
  ProcessOutcome Finish();

 private:
  int Spawn(posix_spawn_file_actions_t& actions, posix_spawnattr_t& attributes);
  // Reads what there is, waiting a short time for it.
  void ReadSome();
  void ReadFrom(Descriptor& from, std::string& into);
  bool Overdue() const {
    return request_.time_limit && std::chrono::steady_clock::now() - started_ >= *request_.time_limit;
  }
  // Notes how the program has ended, if it has.
  bool Reap();
  void Kill();

  const ProcessRequest& request_;
  Pipe output_;
  Pipe errors_;
  SteadyTime started_;
  pid_t pid_ = -1;
  ProcessOutcome outcome_;
};

Result<void> Run::Start() {
  if (!output_.Open() || !errors_.Open()) return Error{ErrorCode::Unavailable, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  started_ = std::chrono::steady_clock::now();
  const int failed = Spawn(actions, attributes);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  output_.write_end.Close();
  errors_.write_end.Close();
  if (failed == 0) return {};
  return Error{failed == ENOENT ? ErrorCode::NotFound : ErrorCode::Unavailable, std::strerror(failed)};
}

int Run::Spawn(posix_spawn_file_actions_t& actions, posix_spawnattr_t& attributes) {
  posix_spawn_file_actions_adddup2(&actions, output_.write_end.get(), STDOUT_FILENO);
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (!request_.interactive) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, errors_.write_end.get(), STDERR_FILENO);
    // A group of its own, so that what it starts can be ended with it. Not when it talks with the user: only the
    // terminal's foreground group may read from it.
    flags |= POSIX_SPAWN_SETPGROUP;
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  // Whatever a library has opened without O_CLOEXEC is none of its business.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);  // which a server ignores, and a plugin must not
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, flags);
  std::vector<std::string> words = {request_.program};
  words.insert(words.end(), request_.arguments.begin(), request_.arguments.end());
  return posix_spawn(&pid_, request_.program.c_str(), &actions, &attributes, PointersTo(words).data(),
                     PointersTo(request_.environment).data());
}

ProcessOutcome Run::Finish() {
  while (true) {
    ReadSome();
    if (outcome_.output.size() > request_.max_output_bytes) {
      Kill();
      outcome_.end = ProcessOutcome::End::OutputTooLarge;
      return std::move(outcome_);
    }
    if (Reap()) {
      // Whatever the program wrote is in the pipes by now.
      ReadFrom(output_.read_end, outcome_.output);
      ReadFrom(errors_.read_end, outcome_.errors);
      return std::move(outcome_);
    }
    const bool is_stopped = request_.stop != nullptr && *request_.stop;
    if (is_stopped || Overdue()) {
      Kill();
      outcome_.end = is_stopped ? ProcessOutcome::End::Stopped : ProcessOutcome::End::TimedOut;
      return std::move(outcome_);
    }
  }
}

void Run::ReadSome() {
  std::array<pollfd, 2> watched = {pollfd{output_.read_end.get(), POLLIN, 0},
                                   pollfd{errors_.read_end.get(), POLLIN, 0}};
  poll(watched.data(), watched.size(), static_cast<int>(kLookAgain.count()));  // ignores the closed ones
  const auto read_if_ready = [](const pollfd& state, Descriptor& from, std::string& into) {
    if (!from.open() || state.revents == 0) return;
    std::array<char, 16384> piece{};
    const ssize_t got = read(from.get(), piece.data(), piece.size());
    if (got > 0) into.append(piece.data(), static_cast<size_t>(got));
    if (got == 0 || (got < 0 && errno != EINTR)) from.Close();
  };
  read_if_ready(watched[0], output_.read_end, outcome_.output);
  read_if_ready(watched[1], errors_.read_end, outcome_.errors);
  if (outcome_.errors.size() > 2 * kKeptErrorBytes) {
    outcome_.errors.erase(0, outcome_.errors.size() - kKeptErrorBytes);
  }
}

void Run::ReadFrom(Descriptor& from, std::string& into) {
  if (!from.open()) return;
  fcntl(from.get(), F_SETFL, O_NONBLOCK);
  std::array<char, 16384> piece{};
  while (into.size() <= request_.max_output_bytes) {
    const ssize_t got = read(from.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return;
    into.append(piece.data(), static_cast<size_t>(got));
  }
}

bool Run::Reap() {
  int status = 0;
  pid_t ended = 0;
  do {
    ended = waitpid(pid_, &status, WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  if (ended < 0) {  // someone else has waited for it: how it ended is unknown
    outcome_.end = ProcessOutcome::End::Signalled;
  } else if (WIFEXITED(status)) {
    outcome_.end = ProcessOutcome::End::Exited;
    outcome_.code = WEXITSTATUS(status);
  } else {
    outcome_.end = ProcessOutcome::End::Signalled;
    outcome_.code = WTERMSIG(status);
  }
  return true;
}

// The program itself may have left its group. One that the kernel cannot end, or that runs as another user by now, is
// not waited for: it stays behind.
void Run::Kill() {
  if (!request_.interactive) kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  const SteadyTime killed = std::chrono::steady_clock::now();
  while (!Reap() && std::chrono::steady_clock::now() - killed < kWaitForKilled) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Result<ProcessOutcome> RunProcess(const ProcessRequest& request) {
  Run run(request);
  BERTH_RETURN_IF_ERROR(run.Start());
  return run.Finish();
}

}  // namespace berth::kube
