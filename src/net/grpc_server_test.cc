// SPDX-License-Identifier: Apache-2.0
// Clients and servers of gRPC over real sockets.
#include "net/grpc_server.h"

#include "base/mutex.h"
#include "net/grpc_client.h"
#include "net/test_certificates.h"
#include "net/test_http2_frames.h"
#include "net/test_loop_thread.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::net {
namespace {

constexpr const char* kMethod = "/test.Service/Method";

// Remembers what a stream is told; any thread may wait for it.
class Told final : public GrpcStreamEvents {
 public:
  void StreamReady() override { Note("ready"); }
  void StreamReceived(std::string message) override {
    const MutexLock lock(mutex_);
    bytes_ += message.size();
    last_ = std::move(message);
    ++messages_;
    changed_.NotifyAll();
  }
  void StreamInputEnded() override { Note("input ended"); }
  void StreamEnded(const GrpcStatus& status) override { Note("ended: " + GrpcStatusText(status)); }

  std::string WaitForMessage(size_t count = 1) {
    const MutexLock lock(mutex_);
    while (messages_ < count) BERTH_CHECK(changed_.WaitUntil(mutex_, InAMinute()));
    return last_;
  }
  // Until something is noted that begins so.
  std::string WaitFor(const std::string& beginning) {
    const MutexLock lock(mutex_);
    while (true) {
      for (const std::string& note : notes_) {
        if (note.starts_with(beginning)) return note;
      }
      BERTH_CHECK(changed_.WaitUntil(mutex_, InAMinute()));
    }
  }
  std::vector<std::string> notes() {
    const MutexLock lock(mutex_);
    return notes_;
  }
  size_t bytes() {
    const MutexLock lock(mutex_);
    return bytes_;
  }

 private:
  static std::chrono::steady_clock::time_point InAMinute() {
    return std::chrono::steady_clock::now() + std::chrono::minutes(1);
  }
  void Note(std::string note) {
    const MutexLock lock(mutex_);
    notes_.push_back(std::move(note));
    changed_.NotifyAll();
  }

  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> notes_ BERTH_GUARDED_BY(mutex_);
  std::string last_ BERTH_GUARDED_BY(mutex_);
  size_t messages_ BERTH_GUARDED_BY(mutex_) = 0;
  size_t bytes_ BERTH_GUARDED_BY(mutex_) = 0;
};

// At a server: sends back what comes, and ends well when the client is done.
class Echo final : public GrpcStreamEvents {
 public:
  explicit Echo(GrpcStream stream) : stream_(std::move(stream)) {}
  void StreamReceived(std::string message) override {
    const size_t size = message.size();
    stream_.Send(std::move(message));
    stream_.Taken(size);
  }
  void StreamInputEnded() override { stream_.End(); }
  void StreamEnded(const GrpcStatus& /*status*/) override {}

 private:
  const GrpcStream stream_;
};

class GrpcServerTest : public testing::Test {
 protected:
  GrpcServerTest() {
    std::string name = (std::filesystem::temp_directory_path() / "berth-grpc-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    path_ = folder_ + "/socket";
    call_ = {.target = {.unix_path = path_}, .path = kMethod};
  }
  ~GrpcServerTest() override {
    StopServer();
    clients_.Do([] {});
    std::filesystem::remove_all(folder_);
  }

  void Serve(GrpcServerOptions options = {}, GrpcServer::Opened opened = nullptr) {
    options.path = kMethod;
    if (opened == nullptr) opened = [](GrpcStream stream) { return std::make_shared<Echo>(std::move(stream)); };
    server_ = std::make_unique<GrpcServer>(servers_.loop(), options, std::move(opened));
    if (options.tls == nullptr) {
      ASSERT_TRUE(server_->ListenUnix(path_));
    } else {
      ASSERT_TRUE(server_->ListenTcp({.address = "127.0.0.1"}));
      call_.target = {.host = "127.0.0.1", .port = server_->port()};
    }
    servers_.Do([&] { server_->Start(); });
  }
  void StopServer() {
    servers_.Do([&] { server_.reset(); });
  }
  GrpcStream Open(const std::shared_ptr<Told>& told) { return OpenGrpcStream(clients_.loop(), call_, told); }
  // What a call ends with that is not served.
  std::string Refusal() {
    const auto told = std::make_shared<Told>();
    const GrpcStream stream = Open(told);
    stream.Send("hello");
    const std::string note = told->WaitFor("ended: ");
    stream.Close();
    return note.substr(7);
  }
  void ExpectEcho() {
    const auto told = std::make_shared<Told>();
    const GrpcStream stream = Open(told);
    stream.Send("hello");
    EXPECT_EQ(told->WaitForMessage(), "hello");
    stream.Close();
    EXPECT_EQ(told->WaitFor("ended: "), "ended: OK");
  }

  std::string folder_;
  std::string path_;
  GrpcCall call_;
  TestLoopThread servers_;
  TestLoopThread clients_;
  std::unique_ptr<GrpcServer> server_;
};

TEST_F(GrpcServerTest, CarriesMessagesOverAUnixSocket) {
  Serve();
  const auto told = std::make_shared<Told>();
  const GrpcStream stream = Open(told);
  for (size_t i = 1; i <= 1'000; ++i) {
    stream.Send("message " + std::to_string(i));
    ASSERT_EQ(told->WaitForMessage(i), "message " + std::to_string(i));
  }
  stream.End();
  EXPECT_EQ(told->WaitFor("ended: "), "ended: OK");
  EXPECT_EQ(told->notes(), (std::vector<std::string>{"ready", "ended: OK"}));
  stream.Close();
}

TEST_F(GrpcServerTest, CarriesManyStreamsAtOnceWithMessagesOfAllSizes) {
  Serve();
  std::vector<std::shared_ptr<Told>> told;
  std::vector<GrpcStream> streams;
  size_t expected = 0;
  for (int i = 0; i < 8; ++i) {
    told.push_back(std::make_shared<Told>());
    streams.push_back(Open(told.back()));
  }
  std::vector<std::thread> senders;
  for (size_t size = 1; size <= size_t{4} << 20U; size *= 4) expected += size;
  for (const GrpcStream& stream : streams) {
    senders.emplace_back([&stream] {
      for (size_t size = 1; size <= size_t{4} << 20U; size *= 4) stream.Send(std::string(size, 'x'));
      stream.End();
    });
  }
  for (std::thread& sender : senders) sender.join();
  for (const auto& each : told) {
    EXPECT_EQ(each->WaitFor("ended: "), "ended: OK");
    EXPECT_EQ(each->bytes(), expected);
  }
  for (const GrpcStream& stream : streams) stream.Close();
}

TEST_F(GrpcServerTest, AServerThatIsNotThereIsAnError) {
  EXPECT_EQ(Refusal(), "UNAVAILABLE: cannot connect: No such file or directory");
}

TEST_F(GrpcServerTest, AServerThatComesLaterIsWaitedFor) {
  call_.patience = std::chrono::minutes(1);
  const auto told = std::make_shared<Told>();
  const GrpcStream stream = Open(told);
  stream.Send("early");
  clients_.Do([] {});  // it has been tried
  Serve();
  EXPECT_EQ(told->WaitForMessage(), "early");
  stream.Close();
}

TEST_F(GrpcServerTest, AnotherMethodIsRefused) {
  Serve();
  call_.path = "/test.Service/Other";
  EXPECT_EQ(Refusal(), "UNIMPLEMENTED: there is no method /test.Service/Other");
}

TEST_F(GrpcServerTest, AServerWithoutRoomRefuses) {
  Serve({}, [](const GrpcStream&) { return nullptr; });
  EXPECT_EQ(Refusal(), "RESOURCE_EXHAUSTED: too many calls at once");
}

TEST_F(GrpcServerTest, TooManyConnectionsAreClosed) {
  Serve({.max_connections = 1});
  const auto told = std::make_shared<Told>();
  const GrpcStream stream = Open(told);
  stream.Send("first");
  told->WaitForMessage();
  EXPECT_TRUE(Refusal().starts_with("UNAVAILABLE: "));
  stream.Close();
  told->WaitFor("ended: ");
}

TEST_F(GrpcServerTest, ClientsHearWhyTheServerStops) {
  Serve();
  const auto told = std::make_shared<Told>();
  const GrpcStream stream = Open(told);
  stream.Send("hello");
  told->WaitForMessage();
  servers_.Do([&] { server_->Stop("maintenance"); });
  const std::string note = told->WaitFor("ended: ");
  EXPECT_NE(note.find("GOAWAY: maintenance"), std::string::npos) << note;
  stream.Send("ignored");
  stream.Close();
}

TEST_F(GrpcServerTest, TheServerHearsThatAClientHasGone) {
  const auto at_server = std::make_shared<Told>();
  Serve({}, [&](const GrpcStream&) { return at_server; });
  {
    TestLoopThread clients;
    const auto told = std::make_shared<Told>();
    const GrpcStream stream = OpenGrpcStream(clients.loop(), call_, told);
    stream.Send("hello");
    at_server->WaitForMessage();
    stream.Close();
    at_server->WaitFor("input ended");
  }
  EXPECT_EQ(at_server->WaitFor("ended: ").substr(0, 18), "ended: UNAVAILABLE");
}

// Bytes of a client, cut at every place: the server ends what has begun, and serves the next.
TEST_F(GrpcServerTest, SurvivesConnectionsThatBreakAnywhere) {
  std::string bytes;
  GrpcSession session(GrpcSession::Side::Client, {}, kMethod);
  const auto id = session.Open("http", "localhost");
  session.Send(id, "message");
  session.End(id, {});
  ASSERT_TRUE(session.Produce(bytes, SIZE_MAX));
  Serve();
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const auto descriptor = ConnectUnix(path_);
    ASSERT_TRUE(descriptor) << descriptor.error().message;
    ASSERT_EQ(send(*descriptor, bytes.data(), cut, MSG_NOSIGNAL), static_cast<ssize_t>(cut));
    close(*descriptor);
  }
  ExpectEcho();
}

// A server that says something else than HTTP/2, or nothing.
class RawServer {
 public:
  RawServer(const std::string& path, std::string says) : says_(std::move(says)) {
    thread_.Do([&] {
      listener_ = *UnixListener::Make(thread_.loop(), path);
      listener_->Start([this](int descriptor) {
        EXPECT_EQ(send(descriptor, says_.data(), says_.size(), MSG_NOSIGNAL), static_cast<ssize_t>(says_.size()));
        if (!says_.empty()) shutdown(descriptor, SHUT_WR);
        held_.push_back(descriptor);
      });
    });
  }
  ~RawServer() {
    thread_.Do([&] { listener_.reset(); });
    for (const int descriptor : held_) close(descriptor);
  }
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;

 private:
  const std::string says_;
  std::unique_ptr<UnixListener> listener_;
  std::vector<int> held_;
  TestLoopThread thread_;
};

TEST_F(GrpcServerTest, AServerThatSaysNothingIsGivenUp) {
  const RawServer server(path_, "");
  call_.limits.greeting_timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(Refusal(), "UNAVAILABLE: no HTTP/2 settings within 50ms");
}

TEST_F(GrpcServerTest, AServerThatDoesNotSpeakHttp2IsToldApart) {
  const RawServer server(path_, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(Refusal().substr(0, 49), "UNAVAILABLE: the other side does not speak HTTP/2");
}

TEST_F(GrpcServerTest, AServerThatBreaksOffAnywhereEndsTheStreamOnce) {
  std::string bytes;
  {
    GrpcSession client(GrpcSession::Side::Client, {}, kMethod);
    GrpcSession server(GrpcSession::Side::Server, {}, kMethod);
    const auto id = client.Open("http", "localhost");
    std::string request;
    ASSERT_TRUE(client.Produce(request, SIZE_MAX));
    ASSERT_TRUE(server.Receive(request));
    server.Accept(id);
    server.Send(id, "message");
    server.End(id, {});
    ASSERT_TRUE(server.Produce(bytes, SIZE_MAX));
  }
  for (size_t cut = 1; cut < bytes.size(); ++cut) {
    const RawServer server(path_, bytes.substr(0, cut));
    const auto told = std::make_shared<Told>();
    const GrpcStream stream = Open(told);
    told->WaitFor("ended: ");
    stream.Close();
    clients_.Do([] {});
    int ends = 0;
    for (const std::string& note : told->notes()) ends += note.starts_with("ended: ") ? 1 : 0;
    EXPECT_EQ(ends, 1) << cut;
  }
}

// The other side stands still, though its system still takes bytes.
TEST_F(GrpcServerTest, AServerThatDoesNotAnswerAPingIsGivenUp) {
  call_.limits.ping_after = std::chrono::milliseconds(20);
  call_.limits.ping_timeout = std::chrono::milliseconds(20);
  // It greets and says nothing more.
  std::unique_ptr<UnixListener> listener;
  int held = -1;
  servers_.Do([&] {
    listener = *UnixListener::Make(servers_.loop(), path_);
    listener->Start([&](int descriptor) {
      held = descriptor;
      const std::string settings = TestFrame(kTestSettings, 0, 0);
      EXPECT_EQ(send(descriptor, settings.data(), settings.size(), MSG_NOSIGNAL),
                static_cast<ssize_t>(settings.size()));
    });
  });
  EXPECT_EQ(Refusal(), "UNAVAILABLE: no answer to a PING within 20ms");
  servers_.Do([&] { listener.reset(); });
  close(held);
}

TEST_F(GrpcServerTest, AConnectionThatIsIdleStaysOpenWhenPingsAreAnswered) {
  const auto at_server = std::make_shared<Told>();
  Serve({}, [&](const GrpcStream&) { return at_server; });
  call_.limits.ping_after = std::chrono::milliseconds(1);
  const auto told = std::make_shared<Told>();
  const GrpcStream stream = Open(told);
  told->WaitFor("ready");
  for (int i = 0; i < 30; ++i) {
    // Another timer of the loop, after which some PINGs must have been sent.
    std::promise<void> later;
    clients_.Do([&] { clients_.loop().After(std::chrono::milliseconds(2), [&] { later.set_value(); }); });
    later.get_future().wait();
  }
  stream.Send("still there");
  EXPECT_EQ(at_server->WaitForMessage(), "still there");
  EXPECT_EQ(told->notes(), std::vector<std::string>{"ready"});
  stream.Close();
}

class GrpcTlsTest : public GrpcServerTest {
 protected:
  void ServeTls(bool requires_certificate) {
    const CertifiedKey own = authority_.IssueServer("IP:127.0.0.1");
    GrpcServerOptions options;
    options.tls = *TlsServerContext::Make({.identity = {.certificate = own.certificate, .key = own.key},
                                           .asks_for_certificate = requires_certificate,
                                           .client_ca = requires_certificate ? authority_.certificate() : ""});
    if (requires_certificate) options.clients = *CertificatePool::Make(authority_.certificate(), "ca");
    Serve(options);
    trust_.ca = authority_.certificate();
  }
  void Show(const CertifiedKey& client) {
    trust_.certificate = client.certificate;
    trust_.key = client.key;
  }
  void UseTls() { call_.target.tls = *TlsClientContext::Make(trust_); }

  TestAuthority authority_;
  TlsOptions trust_;
};

TEST_F(GrpcTlsTest, CarriesMessages) {
  ServeTls(false);
  UseTls();
  ExpectEcho();
}

TEST_F(GrpcTlsTest, AClientWithACertificateIsServed) {
  ServeTls(true);
  Show(authority_.IssueClient("scheduler"));
  UseTls();
  ExpectEcho();
}

TEST_F(GrpcTlsTest, AClientWithoutOneIsNot) {
  ServeTls(true);
  UseTls();
  EXPECT_EQ(Refusal(), "UNAUTHENTICATED: a client certificate is required: there is none");
}

TEST_F(GrpcTlsTest, NorIsOneWithACertificateOfAnotherAuthority) {
  ServeTls(true);
  Show(TestAuthority("another").IssueClient("scheduler"));
  UseTls();
  EXPECT_EQ(Refusal(), "UNAUTHENTICATED: a client certificate is required: unable to get local issuer certificate");
}

TEST_F(GrpcTlsTest, AServerOfAnotherAuthorityIsNotTrusted) {
  ServeTls(false);
  trust_.ca = TestAuthority("another").certificate();
  UseTls();
  EXPECT_EQ(Refusal(),
            "UNAVAILABLE: TLS: the server's certificate is not trusted: unable to get local issuer certificate");
}

TEST_F(GrpcTlsTest, AClientInClearTextIsNotServed) {
  ServeTls(false);
  const std::string refusal = Refusal();
  EXPECT_TRUE(refusal.starts_with("UNAVAILABLE: ")) << refusal;
}

TEST_F(GrpcTlsTest, CarriesLargeMessagesBothWays) {
  ServeTls(false);
  UseTls();
  const auto told = std::make_shared<Told>();
  const GrpcStream stream = Open(told);
  const std::string large(size_t{10} << 20U, 'x');
  stream.Send(large);
  EXPECT_TRUE(told->WaitForMessage() == large);
  stream.Close();
  told->WaitFor("ended: ");
}

}  // namespace
}  // namespace berth::net
