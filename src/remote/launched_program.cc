// SPDX-License-Identifier: Apache-2.0
#include "remote/launched_program.h"

#include "base/thread_name.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace berth::remote {
namespace {

using std::chrono::milliseconds;

Duration Now() { return std::chrono::steady_clock::now().time_since_epoch(); }

// Says nothing about which, but that one of them is ready, or the time is over.
template <size_t N>
void Await(std::array<pollfd, N>& descriptors, Duration at_most) {
  const auto millis = std::chrono::ceil<milliseconds>(std::clamp<Duration>(at_most, {}, std::chrono::hours(1))).count();
  if (poll(descriptors.data(), descriptors.size(), static_cast<int>(millis)) < 0) {
    for (pollfd& each : descriptors) each.revents = 0;  // a signal
  }
}

// False: there will be nothing more.
bool ReadOutput(int descriptor, ProgramOutput& output) {
  std::array<char, size_t{64} << 10U> bytes;
  const ssize_t count = read(descriptor, bytes.data(), bytes.size());
  if (count > 0) output.Take({bytes.data(), static_cast<size_t>(count)}, Now());
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

// What a program wrote before it ended is in the pipe still. Others that have the pipe could fill it for ever.
void ReadRest(int descriptor, ProgramOutput& output) {
  constexpr int kPipesFull = 32;
  std::array<pollfd, 1> polled = {{{descriptor, POLLIN, 0}}};
  for (int i = 0; i < kPipesFull; ++i) {
    Await(polled, {});
    if ((polled[0].revents & POLLIN) == 0 || !ReadOutput(descriptor, output)) break;
  }
  output.End(Now());
}

// Unix sockets have short paths: where the usual place is too deep, the general one serves.
Result<std::string> PrivateFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  std::error_code failed;
  const std::string usual = std::filesystem::temp_directory_path(failed).string();
  constexpr size_t kLongest = 60;
  std::string problem;
  for (const std::string& place : {std::string(runtime == nullptr ? "" : runtime), usual, std::string("/tmp")}) {
    if (place.empty() || place.size() > kLongest) continue;
    std::string folder = place + "/berth-plugin-XXXXXX";
    if (mkdtemp(folder.data()) != nullptr) return folder;
    problem = fmt::format("cannot make a folder in {}: {}", place, std::generic_category().message(errno));
  }
  return Error{ErrorCode::Unavailable, problem};
}

}  // namespace

Result<std::unique_ptr<LaunchedProgram>> LaunchedProgram::Launch(ProgramOptions options, log::Logger log) {
  BERTH_ASSIGN_OR_RETURN(std::string folder, PrivateFolder());
  OwnedDescriptor stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (stop.get() < 0) return Error{ErrorCode::Unavailable, std::generic_category().message(errno)};
  return std::unique_ptr<LaunchedProgram>(
      new LaunchedProgram(std::move(options), std::move(log), std::move(folder), std::move(stop)));
}

LaunchedProgram::LaunchedProgram(ProgramOptions options, log::Logger log, std::string folder, OwnedDescriptor stop)
    : options_(std::move(options)),
      log_(std::move(log)),
      folder_(std::move(folder)),
      socket_path_(folder_ + "/plugin.sock"),
      endpoint_("unix://" + socket_path_),
      stop_(std::move(stop)),
      thread_([this] { Supervise(); }) {}

LaunchedProgram::~LaunchedProgram() {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t told = write(stop_.get(), &one, sizeof(one));
  thread_.join();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string LaunchedProgram::problem() const {
  const MutexLock lock(mutex_);
  return problem_;
}

pid_t LaunchedProgram::pid() const {
  const MutexLock lock(mutex_);
  return pid_;
}

uint64_t LaunchedProgram::starts() const {
  const MutexLock lock(mutex_);
  return starts_;
}

void LaunchedProgram::Note(const std::string& problem, pid_t pid) {
  const MutexLock lock(mutex_);
  problem_ = problem;
  pid_ = pid;
  if (pid != 0) ++starts_;
}

void LaunchedProgram::Supervise() {
  NameThread("plugin-program");
  Duration pause = options_.first_pause;
  std::array<pollfd, 1> stop = {{{stop_.get(), POLLIN, 0}}};
  while (true) {
    const Duration began = Now();
    std::string problem;
    if (auto child = Start(); !child) {
      problem = child.error().message;
    } else {
      WatchUntilEnd(*child);
      const std::string ending = child->Reap();
      log_.Info("Plugin's process ended", {{"plugin", options_.plugin}, {"ending", ending}});
      problem = "its process ended with " + ending;
    }
    if (Now() - began >= options_.healthy_after) pause = options_.first_pause;
    Note(problem, 0);
    Await(stop, {});
    if (stop[0].revents != 0) return;
    log_.Warning("Plugin's process is started again after a pause",
                 {{"plugin", options_.plugin},
                  {"pause", fmt::format("{}", std::chrono::duration_cast<milliseconds>(pause))},
                  {"reason", problem}});
    Await(stop, pause);
    if (stop[0].revents != 0) return;
    pause = std::min(2 * pause, options_.longest_pause);
  }
}

Result<ChildProcess> LaunchedProgram::Start() {
  unlink(socket_path_.c_str());  // of the one before
  auto child = ChildProcess::Start(
      {.command = options_.command, .environment = {"BERTH_PLUGIN_ENDPOINT=" + endpoint_}, .limits = options_.limits});
  if (!child) {
    const std::string program = options_.command.empty() ? "" : options_.command.front();
    return Error{child.error().code, fmt::format("cannot start '{}': {}", program, child.error().message)};
  }
  Note({}, child->pid());
  log_.Info("Plugin's process started", {{"plugin", options_.plugin}, {"pid", child->pid()}});
  return child;
}

void LaunchedProgram::WatchUntilEnd(ChildProcess& child) {
  ProgramOutput output(options_.output, [this](std::string_view line, size_t left_out) {
    if (left_out > 0) {
      log_.Warning("Plugin writes too much: lines were left out",
                   {{"plugin", options_.plugin}, {"lines", static_cast<uint64_t>(left_out)}});
    }
    if (!line.empty()) log_.Info("Plugin writes", {{"plugin", options_.plugin}, {"line", line}});
  });
  std::array<pollfd, 3> polled = {
      {{stop_.get(), POLLIN, 0}, {child.end_descriptor(), POLLIN, 0}, {child.output_descriptor(), POLLIN, 0}}};
  while (true) {
    Await(polled, output.NextTick(Now()));
    output.Tick(Now());
    if (polled[0].revents != 0) return EndInOrder(child, output);
    if (polled[2].revents != 0 && !ReadOutput(child.output_descriptor(), output))
      polled[2].fd = -1;  // it has closed it
    if (polled[1].revents != 0) return ReadRest(child.output_descriptor(), output);
  }
}

void LaunchedProgram::EndInOrder(ChildProcess& child, ProgramOutput& output) {
  child.Signal(SIGTERM);
  const Duration deadline = Now() + options_.grace;
  std::array<pollfd, 2> polled = {{{child.end_descriptor(), POLLIN, 0}, {child.output_descriptor(), POLLIN, 0}}};
  while (Now() < deadline) {
    Await(polled, deadline - Now());
    if (polled[1].revents != 0 && !ReadOutput(child.output_descriptor(), output)) polled[1].fd = -1;
    if (polled[0].revents != 0) return ReadRest(child.output_descriptor(), output);
  }
  log_.Warning("Plugin's process does not end when asked to, and is killed", {{"plugin", options_.plugin}});
  child.Signal(SIGKILL);
  ReadRest(child.output_descriptor(), output);
}

}  // namespace berth::remote
