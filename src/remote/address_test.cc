// SPDX-License-Identifier: Apache-2.0
#include "remote/address.h"

#include "net/test_certificates.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace berth::remote {
namespace {

TEST(Address, IsReadAndWritten) {
  const auto unix_socket = Address::Parse("unix:///run/plugin.sock");
  ASSERT_TRUE(unix_socket);
  EXPECT_EQ(unix_socket->kind, Address::Kind::Unix);
  EXPECT_EQ(unix_socket->path, "/run/plugin.sock");
  const auto tcp = Address::Parse("tcp://127.0.0.1:7000");
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->kind, Address::Kind::Tcp);
  EXPECT_EQ(tcp->host, "127.0.0.1");
  EXPECT_EQ(tcp->port, 7000);
  const auto tls = Address::Parse("tls://[2001:db8::1]:7000");
  ASSERT_TRUE(tls);
  EXPECT_EQ(tls->kind, Address::Kind::Tls);
  EXPECT_EQ(tls->host, "2001:db8::1");
  for (const std::string text : {"unix:///run/plugin.sock", "tcp://127.0.0.1:7000", "tls://[2001:db8::1]:7000",
                                 "tls://plugin.example.com:1", "tcp://localhost:0"}) {
    EXPECT_EQ(Address::Parse(text)->Text(), text);
  }
}

TEST(Address, WhatIsNoneIsQuotedWithTheReason) {
  const auto problem = [](const std::string& text) { return Address::Parse(text).error().message; };
  EXPECT_EQ(problem("http://localhost:1"),
            "'http://localhost:1' is no endpoint: it begins with none of unix://, tcp:// and tls://");
  EXPECT_EQ(
      problem("unix://plugin.sock"),
      "'unix://plugin.sock' is no endpoint: the path of a unix socket is absolute, as in unix:///run/plugin.sock");
  EXPECT_EQ(problem("tcp://localhost"), "'tcp://localhost' is no endpoint: the port is missing");
  EXPECT_EQ(problem("tcp://:1"), "'tcp://:1' is no endpoint: the host is missing");
  EXPECT_EQ(problem("tcp://::1:7000"), "'tcp://::1:7000' is no endpoint: an IPv6 address is written in brackets");
  for (const std::string port : {"", "x", "-1", "65536", "1x"}) {
    EXPECT_EQ(problem("tls://host:" + port), "'tls://host:" + port + "' is no endpoint: the port is no number");
  }
}

TEST(Address, KnowsWhetherItLeavesTheMachine) {
  for (const std::string text :
       {"unix:///a", "tcp://127.0.0.1:1", "tcp://127.9.9.9:1", "tcp://[::1]:1", "tcp://localhost:1"}) {
    EXPECT_TRUE(Address::Parse(text)->is_local()) << text;
  }
  for (const std::string text : {"tcp://10.0.0.1:1", "tcp://0.0.0.0:1", "tcp://[::]:1", "tcp://localhost.example.com:1",
                                 "tcp://127.example.com:1"}) {
    EXPECT_FALSE(Address::Parse(text)->is_local()) << text;
  }
}

TEST(TlsFiles, ProblemsNameTheFile) {
  EXPECT_EQ(ClientTls({.ca_file = "/missing/ca.pem"}).error().message, "cannot read /missing/ca.pem");
  std::string folder = (std::filesystem::temp_directory_path() / "berth-tls-XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/ca.pem";
  std::ofstream(file) << "rubbish";
  const std::string problem = ClientTls({.ca_file = file}).error().message;
  EXPECT_NE(problem.find(file), std::string::npos) << problem;
  const net::TestAuthority authority;
  const net::CertifiedKey own = authority.IssueServer("IP:127.0.0.1");
  std::ofstream(folder + "/cert.pem") << own.certificate;
  std::ofstream(folder + "/key.pem") << own.key;
  std::ofstream(file) << authority.certificate();
  const auto server =
      ServerTlsOf({.ca_file = file, .cert_file = folder + "/cert.pem", .key_file = folder + "/key.pem"});
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_NE(server->clients, nullptr);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace berth::remote
