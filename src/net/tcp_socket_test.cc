// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_socket.h"

#include "net/tcp_listener.h"
#include "net/test_loop_thread.h"

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Waits for what a socket tells.
class Told final : public TcpSocketEvents {
 public:
  void SocketConnected() override { connected.set_value(); }
  void SocketReceived(std::string_view bytes) override {
    received += bytes;
    if (received.size() >= awaited) all_received.set_value();
  }
  void SocketWrote() override { wrote.set_value(); }
  void SocketFailed(const std::string& why) override { failed.set_value(why); }

  std::promise<void> connected;
  std::promise<void> wrote;
  std::promise<std::string> failed;
  std::promise<void> all_received;
  std::string received;
  size_t awaited = SIZE_MAX;
};

// A socket, and the other end of its connection, which is held and not read.
class TcpSocketTest : public testing::Test {
 protected:
  void Connect(const TcpSocketOptions& options) {
    thread_.Do([&] {
      listener_ = *TcpListener::Make(thread_.loop(), {.address = "127.0.0.1"});
      listener_->Start([this](AcceptedSocket accepted) {
        accepted_.emplace(std::move(accepted));
        has_accepted_.set_value();
      });
      socket_ = std::make_unique<TcpSocket>(thread_.loop(), told_, options);
      socket_->Connect("127.0.0.1", listener_->port());
    });
    told_.connected.get_future().wait();
    has_accepted_.get_future().wait();
  }
  ~TcpSocketTest() override {
    thread_.Do([&] {
      other_.reset();
      socket_.reset();
      listener_.reset();
    });
  }

  Told told_;
  Told told_other_;
  TestLoopThread thread_;
  std::unique_ptr<TcpListener> listener_;
  std::unique_ptr<TcpSocket> socket_;
  std::optional<AcceptedSocket> accepted_;
  std::promise<void> has_accepted_;
  std::unique_ptr<TcpSocket> other_;
};

constexpr size_t kMoreThanTheSystemTakes = size_t{64} << 20U;

TEST_F(TcpSocketTest, FailsWhenTheOtherSideTakesNothingForTooLong) {
  Connect({.stall_limit = milliseconds(300)});
  thread_.Do([&] { socket_->Write(std::string(kMoreThanTheSystemTakes, 'x')); });
  std::future<std::string> failed = told_.failed.get_future();
  ASSERT_EQ(failed.wait_for(seconds(60)), std::future_status::ready);
  EXPECT_NE(failed.get(), "");
}

// As after the machine has slept: the socket takes bytes again, but they have become too old.
TEST_F(TcpSocketTest, FailsWhenItsClockSaysThatAWriteHasLastedTooLong) {
  ManualClock clock;
  Connect({.stall_limit = std::chrono::minutes(1), .clock = &clock});
  thread_.Do([&] {
    socket_->Write(std::string(kMoreThanTheSystemTakes, 'x'));
    clock.Advance(std::chrono::minutes(1) + milliseconds(1));
    other_ = std::make_unique<TcpSocket>(thread_.loop(), told_other_, std::move(*accepted_));
  });
  std::future<std::string> failed = told_.failed.get_future();
  ASSERT_EQ(failed.wait_for(seconds(60)), std::future_status::ready);
  EXPECT_EQ(failed.get(), "the server does not take what is sent");
  thread_.Do([&] { EXPECT_LT(told_other_.received.size(), kMoreThanTheSystemTakes); });
}

TEST_F(TcpSocketTest, WhatTheSystemDoesNotTakeAtOnceIsWrittenLater) {
  Connect({});
  std::string bytes(kMoreThanTheSystemTakes, 'x');
  for (size_t i = 0; i < bytes.size(); i += 4'099) bytes[i] = static_cast<char>('a' + i % 26);
  told_other_.awaited = bytes.size();
  thread_.Do([&] {
    socket_->Write(bytes);
    other_ = std::make_unique<TcpSocket>(thread_.loop(), told_other_, std::move(*accepted_));
  });
  ASSERT_EQ(told_other_.all_received.get_future().wait_for(seconds(60)), std::future_status::ready);
  EXPECT_EQ(told_.wrote.get_future().wait_for(seconds(60)), std::future_status::ready);
  thread_.Do([&] { EXPECT_TRUE(told_other_.received == bytes); });
}

TEST_F(TcpSocketTest, WhatMayNotBeWrittenIsNotWritten) {
  Connect({.may_write = [] { return false; }});
  thread_.Do([&] {
    socket_->Write("too late");
    other_ = std::make_unique<TcpSocket>(thread_.loop(), told_other_, std::move(*accepted_));
  });
  EXPECT_EQ(told_.failed.get_future().get(), "it is too late to send what was to be sent");
  EXPECT_EQ(told_other_.failed.get_future().get(), "the client closed the connection");
  thread_.Do([&] { EXPECT_EQ(told_other_.received, ""); });
}

TEST_F(TcpSocketTest, WhatTheSystemHasNotTakenWhenItMayNoLongerBeWrittenIsDropped) {
  bool may_write = true;
  Connect({.may_write = [&] { return may_write; }});
  thread_.Do([&] {
    socket_->Write(std::string(kMoreThanTheSystemTakes, 'x'));
    may_write = false;
    other_ = std::make_unique<TcpSocket>(thread_.loop(), told_other_, std::move(*accepted_));
  });
  EXPECT_EQ(told_.failed.get_future().get(), "it is too late to send what was to be sent");
  told_other_.failed.get_future().wait();
  thread_.Do([&] { EXPECT_LT(told_other_.received.size(), kMoreThanTheSystemTakes); });
}

// When reads are delayed is ReadPace's to say; here, that what comes meanwhile is read nevertheless.
TEST_F(TcpSocketTest, ModeratedReadsLoseNothing) {
  Connect({.moderate_reads = true});
  constexpr int kPieces = 2'000;
  std::string expected;
  for (int i = 0; i < kPieces; ++i) expected += std::to_string(i) + ";";
  told_.awaited = expected.size();
  const int descriptor = accepted_->Release();
  for (int i = 0; i < kPieces; ++i) {
    const std::string piece = std::to_string(i) + ";";
    ASSERT_EQ(send(descriptor, piece.data(), piece.size(), 0), static_cast<ssize_t>(piece.size()));
    if (i % 20 == 0) std::this_thread::sleep_for(milliseconds(1));
  }
  ASSERT_EQ(told_.all_received.get_future().wait_for(seconds(60)), std::future_status::ready);
  thread_.Do([&] { EXPECT_EQ(told_.received, expected); });
  close(descriptor);
}

}  // namespace
}  // namespace berth::net
