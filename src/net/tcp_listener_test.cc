// SPDX-License-Identifier: Apache-2.0
#include "net/tcp_listener.h"

#include "net/test_loop_thread.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <future>
#include <memory>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

bool IsInherited(int descriptor) { return (fcntl(descriptor, F_GETFD) & FD_CLOEXEC) == 0; }

// The descriptor of this process that listens on the port; -1: there is none.
int DescriptorListeningOn(uint16_t port) {
  for (int descriptor = 0; descriptor < 1024; ++descriptor) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0) continue;
    sockaddr_in address = {};
    size = sizeof address;
    getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    if (address.sin_family == AF_INET && ntohs(address.sin_port) == port) return descriptor;
  }
  return -1;
}

TEST(TcpListener, SocketsAreNotInheritedByProgramsThatAreStarted) {
  TestLoopThread thread;
  std::unique_ptr<TcpListener> listener;
  std::promise<int> accepted;
  thread.Do([&] {
    listener = TcpListener::Make(thread.loop(), {.address = "127.0.0.1"}).value();
    listener->Start([&](AcceptedSocket socket) { accepted.set_value(socket.Release()); });
  });
  const int listening = DescriptorListeningOn(listener->port());
  ASSERT_GE(listening, 0);
  EXPECT_FALSE(IsInherited(listening));
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(listener->port());
  ASSERT_EQ(connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const int server = accepted.get_future().get();
  EXPECT_FALSE(IsInherited(server));
  close(server);
  close(client);
  thread.Do([&] { listener.reset(); });
}

}  // namespace
}  // namespace berth::net
