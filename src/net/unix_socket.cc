// SPDX-License-Identifier: Apache-2.0
#include "net/unix_socket.h"

#include "net/watched_socket.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

namespace berth::net {
namespace {

std::string SystemError(int number) { return std::generic_category().message(number); }

Result<sockaddr_un> UnixAddress(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty()) return InvalidError("the path of the socket is empty");
  if (path.size() >= sizeof(address.sun_path)) {
    return InvalidError(
        fmt::format("the path of the socket is longer than {} bytes: {}", sizeof(address.sun_path) - 1, path));
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

const sockaddr* AsSocketAddress(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

// A descriptor until it is handed on.
class HeldDescriptor {
 public:
  explicit HeldDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~HeldDescriptor() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  HeldDescriptor(const HeldDescriptor&) = delete;
  HeldDescriptor& operator=(const HeldDescriptor&) = delete;
  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

int NewUnixSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

// Removes a socket that nobody listens to.
Result<void> RemoveStale(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return {};  // what else is wrong, bind says
  if (!S_ISSOCK(found.st_mode)) return InvalidError("there is a file that is not a socket");
  if (const auto connected = ConnectUnix(path)) {
    close(*connected);
    return Error{ErrorCode::AlreadyExists, "another process listens there"};
  }
  if (unlink(path.c_str()) != 0 && errno != ENOENT) return InvalidError(SystemError(errno));
  return {};
}

}  // namespace

Result<int> ConnectUnix(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(const sockaddr_un address, UnixAddress(path));
  HeldDescriptor connected(NewUnixSocket());
  // With EAGAIN too many wait to be accepted.
  if (connected.get() < 0 || connect(connected.get(), AsSocketAddress(address), sizeof(address)) != 0) {
    return Error{ErrorCode::Unavailable, "cannot connect: " + SystemError(errno)};
  }
  return connected.Release();
}

class UnixListener::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, std::string path) : loop_(loop), path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  Result<void> Open() {
    BERTH_ASSIGN_OR_RETURN(const sockaddr_un address, UnixAddress(path_));
    BERTH_RETURN_IF_ERROR(RemoveStale(path_));
    HeldDescriptor listening(NewUnixSocket());
    // The rights are set before anyone can connect.
    if (listening.get() < 0 || bind(listening.get(), AsSocketAddress(address), sizeof(address)) != 0) {
      return InvalidError(SystemError(errno));
    }
    struct stat made = {};
    if (chmod(path_.c_str(), S_IRUSR | S_IWUSR) != 0 || lstat(path_.c_str(), &made) != 0 ||
        listen(listening.get(), SOMAXCONN) != 0) {
      const int why = errno;
      unlink(path_.c_str());
      return InvalidError(SystemError(why));
    }
    inode_ = made.st_ino;
    socket_.emplace(
        loop_, listening.Release(), [this] { Accept(); }, [] {});
    return {};
  }

  void Start(std::function<void(int)> accept) {
    accept_ = std::move(accept);
    socket_->AwaitReadable();
  }

  void Close() {
    accept_ = nullptr;
    loop_.Cancel(pause_);
    if (!socket_.has_value()) return;
    socket_.reset();
    struct stat found = {};
    if (lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_) unlink(path_.c_str());
  }

 private:
  void Accept() {
    const auto self = shared_from_this();
    const int descriptor = accept4(socket_->descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    const int why = errno;
    const auto accept = accept_;  // which may close the listener
    if (descriptor >= 0) accept(descriptor);
    if (accept_ == nullptr) return;
    if (descriptor >= 0 || why == EAGAIN || why == ECONNABORTED || why == EINTR) return socket_->AwaitReadable();
    // Out of descriptors: those who wait are served when others have gone.
    constexpr auto kPause = std::chrono::milliseconds(100);
    pause_ = loop_.After(kPause, [this, held = shared_from_this()] {
      if (accept_ != nullptr) socket_->AwaitReadable();
    });
  }

  Loop& loop_;
  const std::string path_;
  ino_t inode_ = 0;
  std::function<void(int)> accept_;
  std::optional<WatchedSocket> socket_;
  Loop::TimerId pause_ = 0;
};

UnixListener::UnixListener(std::shared_ptr<State> state) : state_(std::move(state)) {}
UnixListener::~UnixListener() { state_->Close(); }

Result<std::unique_ptr<UnixListener>> UnixListener::Make(Loop& loop, const std::string& path) {
  auto state = std::make_shared<State>(loop, path);
  if (const auto opened = state->Open(); !opened) {
    return Error{opened.error().code, fmt::format("failed to listen on {}: {}", path, opened.error().message)};
  }
  return std::unique_ptr<UnixListener>(new UnixListener(std::move(state)));
}

const std::string& UnixListener::path() const { return state_->path(); }
void UnixListener::Start(std::function<void(int)> accept) { state_->Start(std::move(accept)); }
void UnixListener::Close() { state_->Close(); }

}  // namespace berth::net
