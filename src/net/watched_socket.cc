// SPDX-License-Identifier: Apache-2.0
#include "net/watched_socket.h"

#include "net/close_on_exec.h"
#include "net/loop_impl.h"

#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

namespace berth::net {

class WatchedSocket::State : public std::enable_shared_from_this<State> {
 public:
  State(Loop& loop, int descriptor, std::function<void()> readable, std::function<void()> writable)
      : number_(descriptor),
        descriptor_(IoContextOf(loop), descriptor),
        readable_(std::move(readable)),
        writable_(std::move(writable)) {
    boost::system::error_code ignored;
    descriptor_.non_blocking(true, ignored);
    CloseOnExec(descriptor);
  }

  int number() const { return number_; }

  void Await(boost::asio::posix::stream_descriptor::wait_type what) {
    descriptor_.async_wait(what, [self = shared_from_this(), what](const boost::system::error_code& failed) {
      if (failed || self->closed_) return;
      (what == boost::asio::posix::stream_descriptor::wait_read ? self->readable_ : self->writable_)();
    });
  }

  void Close() {
    closed_ = true;
    boost::system::error_code ignored;
    descriptor_.close(ignored);
  }

 private:
  const int number_;
  boost::asio::posix::stream_descriptor descriptor_;
  const std::function<void()> readable_;
  const std::function<void()> writable_;
  bool closed_ = false;
};

WatchedSocket::WatchedSocket(Loop& loop, int descriptor, std::function<void()> readable, std::function<void()> writable)
    : state_(std::make_shared<State>(loop, descriptor, std::move(readable), std::move(writable))) {}
WatchedSocket::~WatchedSocket() { state_->Close(); }

int WatchedSocket::descriptor() const { return state_->number(); }
void WatchedSocket::AwaitReadable() { state_->Await(boost::asio::posix::stream_descriptor::wait_read); }
void WatchedSocket::AwaitWritable() { state_->Await(boost::asio::posix::stream_descriptor::wait_write); }

}  // namespace berth::net
