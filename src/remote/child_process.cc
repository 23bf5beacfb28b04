// SPDX-License-Identifier: Apache-2.0
#include "remote/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace berth::remote {
namespace {

std::string ErrorText(int number) { return std::generic_category().message(number); }

// What the child could not do, as it tells through a pipe that closes when it has become the program.
struct Failure {
  enum class Step : int { Group, ParentsEnd, Descriptors, Limits, Program };
  Step step;
  int number;
};

std::string_view NameOf(Failure::Step step) {
  switch (step) {
    case Failure::Step::Group: return "make a process group";
    case Failure::Step::ParentsEnd: return "tie the process to this one";
    case Failure::Step::Descriptors: return "set up its output";
    case Failure::Step::Limits: return "limit what it may use";
    case Failure::Step::Program: break;
  }
  return "execute it";
}

// Everything that the child needs, made before the fork: after it, in a process of several threads, no memory may be
// allocated.
struct Prepared {
  std::string program;
  std::vector<char*> arguments;
  std::vector<char*> environment;
  std::vector<std::string> texts;  // what they point to
  std::vector<std::pair<int, rlimit>> limits;
  pid_t parent = 0;
  int nothing = -1;  // for the standard input
  int output = -1;
  int failures = -1;
};

// Resource numbers are an enum in C++, and an int everywhere else.
int LimitResource(int resource, const rlimit& limit) {
  return setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

bool LimitAll(const Prepared& prepared) {
  return std::all_of(prepared.limits.begin(), prepared.limits.end(),
                     [](const auto& limit) { return LimitResource(limit.first, limit.second) == 0; });
}

bool SetUpDescriptors(const Prepared& prepared) {
  if (dup2(prepared.nothing, STDIN_FILENO) < 0 || dup2(prepared.output, STDOUT_FILENO) < 0 ||
      dup2(prepared.output, STDERR_FILENO) < 0) {
    return false;
  }
  // Whatever else is open in this process, the program does not inherit it. An older system cannot do that at once;
  // ours are closed anyway.
  constexpr unsigned int kCloseOnExec = 4;
  syscall(SYS_close_range, 3U, ~0U, kCloseOnExec);
  return true;
}

// In the child. Only functions that may be called there: see signal-safety(7).
[[noreturn]] void BecomeProgram(const Prepared& prepared) {
  const auto fail = [&](Failure::Step step) {
    const Failure failure = {step, errno};
    [[maybe_unused]] const ssize_t told = write(prepared.failures, &failure, sizeof(failure));
    _exit(127);
  };
  if (setpgid(0, 0) != 0) fail(Failure::Step::Group);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(Failure::Step::ParentsEnd);
  if (getppid() != prepared.parent) _exit(127);  // it has ended before
  sigset_t none = {};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGPIPE, SIG_DFL);  // a signal that is ignored would be ignored by the program, too
  if (!SetUpDescriptors(prepared)) fail(Failure::Step::Descriptors);
  if (!LimitAll(prepared)) fail(Failure::Step::Limits);
  execve(prepared.program.c_str(), prepared.arguments.data(), prepared.environment.data());
  fail(Failure::Step::Program);
  _exit(127);
}

Result<std::string> FindProgram(const std::string& name) {
  if (name.empty()) return InvalidError("the command is empty");
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (true) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const std::string candidate = std::string(rest.substr(0, end)) + "/" + name;
    if (end > 0 && access(candidate.c_str(), X_OK) == 0) return candidate;
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  return NotFoundError("there is no program '" + name + "' in PATH");
}

// Ours, with the given ones instead of those of the same name.
std::vector<std::string> EnvironmentWith(const std::vector<std::string>& given) {
  std::vector<std::string> all = given;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool is_given =
        std::any_of(given.begin(), given.end(), [&](const std::string& text) { return text.starts_with(name); });
    if (!is_given) all.emplace_back(variable);
  }
  return all;
}

// No more than this process may itself.
void AddLimit(Prepared& prepared, int resource, uint64_t limit) {
  if (limit == 0) return;
  rlimit own = {};
  getrlimit(static_cast<__rlimit_resource>(resource), &own);
  const rlim_t allowed = own.rlim_max == RLIM_INFINITY ? limit : std::min<rlim_t>(limit, own.rlim_max);
  prepared.limits.emplace_back(resource, rlimit{allowed, allowed});
}

Result<Prepared> Prepare(const ProcessSetup& setup) {
  if (setup.command.empty()) return InvalidError("the command is empty");
  Prepared prepared;
  BERTH_ASSIGN_OR_RETURN(prepared.program, FindProgram(setup.command.front()));
  prepared.texts = setup.command;
  const std::vector<std::string> environment = EnvironmentWith(setup.environment);
  prepared.texts.insert(prepared.texts.end(), environment.begin(), environment.end());
  for (size_t i = 0; i < prepared.texts.size(); ++i) {
    (i < setup.command.size() ? prepared.arguments : prepared.environment).push_back(prepared.texts[i].data());
  }
  prepared.arguments.push_back(nullptr);
  prepared.environment.push_back(nullptr);
  AddLimit(prepared, RLIMIT_AS, setup.limits.memory_bytes);
  AddLimit(prepared, RLIMIT_NOFILE, setup.limits.open_files);
  AddLimit(prepared, RLIMIT_NPROC, setup.limits.processes);
  prepared.parent = getpid();
  return prepared;
}

struct Pipe {
  OwnedDescriptor read_end;
  OwnedDescriptor write_end;
};

Result<Pipe> MakePipe() {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return Error{ErrorCode::Unavailable, ErrorText(errno)};
  return Pipe{OwnedDescriptor(ends[0]), OwnedDescriptor(ends[1])};
}

// Waits until the child has become the program, or has failed to.
Result<void> AwaitProgram(int failures) {
  Failure failure = {};
  ssize_t count = 0;
  do count = read(failures, &failure, sizeof(failure));
  while (count < 0 && errno == EINTR);
  if (count != sizeof(failure)) return {};
  return Error{ErrorCode::Unavailable, fmt::format("cannot {}: {}", NameOf(failure.step), ErrorText(failure.number))};
}

}  // namespace

OwnedDescriptor::OwnedDescriptor(OwnedDescriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

OwnedDescriptor& OwnedDescriptor::operator=(OwnedDescriptor&& other) noexcept {
  if (this != &other) {
    Close();
    descriptor_ = std::exchange(other.descriptor_, -1);
  }
  return *this;
}

void OwnedDescriptor::Close() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

ChildProcess::ChildProcess(pid_t pid, OwnedDescriptor end, OwnedDescriptor output)
    : pid_(pid), end_(std::move(end)), output_(std::move(output)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), end_(std::move(other.end_)), output_(std::move(other.output_)) {}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  Signal(SIGKILL);
  Reap();
}

Result<ChildProcess> ChildProcess::Start(const ProcessSetup& setup) {
  BERTH_ASSIGN_OR_RETURN(Prepared prepared, Prepare(setup));
  BERTH_ASSIGN_OR_RETURN(Pipe output, MakePipe());
  BERTH_ASSIGN_OR_RETURN(Pipe failures, MakePipe());
  const OwnedDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  prepared.nothing = nothing.get();
  prepared.output = output.write_end.get();
  prepared.failures = failures.write_end.get();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(prepared);
  if (pid < 0) return Error{ErrorCode::Unavailable, "cannot make a process: " + ErrorText(errno)};
  setpgid(pid, pid);  // whoever comes first
  failures.write_end.Close();
  output.write_end.Close();
  fcntl(output.read_end.get(), F_SETFL, O_NONBLOCK);
  ChildProcess child(pid, OwnedDescriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))),
                     std::move(output.read_end));
  const int no_descriptor = errno;
  BERTH_RETURN_IF_ERROR(AwaitProgram(failures.read_end.get()));
  if (child.end_descriptor() < 0) {
    return Error{ErrorCode::Unavailable, "cannot watch the process: " + ErrorText(no_descriptor)};
  }
  return child;
}

void ChildProcess::Signal(int signal) const {
  if (pid_ != 0) kill(-pid_, signal);
}

std::string ChildProcess::Reap() {
  // Its number belongs to it until it is waited for, and so does the group's.
  siginfo_t ignored = {};
  while (waitid(P_PID, static_cast<id_t>(pid_), &ignored, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  Signal(SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  if (WIFEXITED(status)) return fmt::format("exit status {}", WEXITSTATUS(status));
  const char* name = sigdescr_np(WTERMSIG(status));
  return fmt::format("signal {} ({})", WTERMSIG(status), name == nullptr ? "unknown" : name);
}

}  // namespace berth::remote
