// SPDX-License-Identifier: Apache-2.0
#include "net/unix_socket.h"

#include "net/test_loop_thread.h"

#include <filesystem>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

class UnixSocketTest : public testing::Test {
 protected:
  UnixSocketTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-unix-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/socket";
  }
  ~UnixSocketTest() override { std::filesystem::remove_all(folder_); }

  std::string RefusalAt(const std::string& path) {
    const auto listener = UnixListener::Make(thread_.loop(), path);
    return listener ? std::string() : listener.error().message;
  }

  std::string folder_;
  std::string path_;
  TestLoopThread thread_;
};

TEST_F(UnixSocketTest, OnlyThisUserMayConnect) {
  const auto listener = UnixListener::Make(thread_.loop(), path_);
  ASSERT_TRUE(listener) << listener.error().message;
  struct stat found = {};
  ASSERT_EQ(stat(path_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST_F(UnixSocketTest, AcceptsEveryConnection) {
  auto listener = *UnixListener::Make(thread_.loop(), path_);
  std::promise<void> three;
  int accepted = 0;
  const auto before = ConnectUnix(path_);
  ASSERT_TRUE(before) << before.error().message;
  thread_.Do([&] {
    listener->Start([&](int descriptor) {
      close(descriptor);
      if (++accepted == 3) three.set_value();
    });
  });
  const auto second = ConnectUnix(path_);
  const auto third = ConnectUnix(path_);
  ASSERT_TRUE(second && third);
  three.get_future().wait();
  for (const int descriptor : {*before, *second, *third}) {
    char byte = 0;
    while (read(descriptor, &byte, 1) < 0 && errno == EAGAIN) std::this_thread::yield();
    close(descriptor);
  }
  thread_.Do([&] { listener.reset(); });
}

TEST_F(UnixSocketTest, ASocketThatNobodyListensToIsReplaced) {
  {
    // As a process leaves it that was killed: the file of a listener, kept under another name.
    const auto listener = *UnixListener::Make(thread_.loop(), path_);
    std::filesystem::create_hard_link(path_, path_ + ".kept");
  }
  std::filesystem::rename(path_ + ".kept", path_);
  const auto stale = ConnectUnix(path_);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().message, "cannot connect: Connection refused");
  const auto listener = UnixListener::Make(thread_.loop(), path_);
  EXPECT_TRUE(listener) << listener.error().message;
}

TEST_F(UnixSocketTest, OneThatIsListenedToIsNot) {
  const auto listener = *UnixListener::Make(thread_.loop(), path_);
  EXPECT_EQ(RefusalAt(path_), "failed to listen on " + path_ + ": another process listens there");
  const auto connected = ConnectUnix(path_);
  ASSERT_TRUE(connected) << connected.error().message;
  close(*connected);
}

TEST_F(UnixSocketTest, AnyOtherFileIsLeftAlone) {
  std::ofstream(path_) << "precious";
  EXPECT_EQ(RefusalAt(path_), "failed to listen on " + path_ + ": there is a file that is not a socket");
  std::string text;
  std::getline(std::ifstream(path_), text);
  EXPECT_EQ(text, "precious");
}

TEST_F(UnixSocketTest, PathsThatCannotBeAreRefused) {
  const std::string missing = folder_ + "/missing/socket";
  EXPECT_EQ(RefusalAt(missing), "failed to listen on " + missing + ": No such file or directory");
  const std::string endless = folder_ + "/" + std::string(200, 'x');
  EXPECT_NE(RefusalAt(endless).find("the path of the socket is longer than 107 bytes"), std::string::npos);
  EXPECT_FALSE(ConnectUnix(endless));
  EXPECT_FALSE(ConnectUnix(""));
}

TEST_F(UnixSocketTest, TheFileGoesWithTheListenerUnlessAnotherHasTakenItsPlace) {
  auto first = *UnixListener::Make(thread_.loop(), path_);
  thread_.Do([&] { first.reset(); });
  EXPECT_FALSE(std::filesystem::exists(path_));
  first = *UnixListener::Make(thread_.loop(), path_);
  const std::string kept = path_ + ".kept";
  std::filesystem::rename(path_, kept);  // its inode cannot be used again
  const auto second = *UnixListener::Make(thread_.loop(), path_);
  thread_.Do([&] { first.reset(); });
  EXPECT_TRUE(std::filesystem::exists(path_));
  std::filesystem::remove(kept);
}

}  // namespace
}  // namespace berth::net
