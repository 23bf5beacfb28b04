// SPDX-License-Identifier: Apache-2.0
// The samples in other languages, launched as processes and asked as the scheduler would.
#include "base/check.h"
#include "plugin_sdks/plugin_client.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::sdk {
namespace {

const std::string kSampleBin = BERTH_SDK_BIN;
const std::string kExamples = BERTH_SOURCE_DIR "/examples";

std::vector<std::string> PriceScore() {
  return {BERTH_SOURCE_DIR "/tests/plugin_sdks/python.sh", kSampleBin,
          kExamples + "/remote_score_python/price_score.py"};
}

TEST(RemoteScorePython, PrefersNodesThatCostLittle) {
  PluginProgram program(PriceScore());
  PluginClient client(program.dialer());
  const wire::Welcome welcome = client.Greet(R"({"label": "price"})");
  EXPECT_EQ(welcome.refusal(), "");
  EXPECT_EQ(welcome.points_size(), 1);
  EXPECT_EQ(welcome.points(0), wire::SCORE);
  client.Tell({NodeChange(0, "large", Labeled("large", R"("price": "1.60")")),
               NodeChange(1, "small", Labeled("small", R"("price": "0.20")")), NodeChange(2, "own", Labeled("own")),
               PodChange(1, "report", Labeled("report"))});
  const wire::Answer answer = client.Ask(ScoreCall(1, {0, 1, 2}));
  ASSERT_EQ(answer.error(), "");
  EXPECT_EQ((std::vector<int64_t>(answer.score().normalized().begin(), answer.score().normalized().end())),
            (std::vector<int64_t>{0, 87, 100}));
  client.Tell({NodeChange(1, "small", Labeled("small", R"("price": "cheap")"))});
  EXPECT_NE(client.Ask(ScoreCall(1, {0, 1, 2})).error().find("'cheap' is no quantity"), std::string::npos);
}

TEST(RemoteScorePython, NeedsItsLabel) {
  PluginProgram program(PriceScore());
  for (const std::string args : {"", "{}", R"({"label": 7})", R"({"label": "price", "color": "red"})"}) {
    PluginClient client(program.dialer());
    EXPECT_EQ(client.Greet(args).refusal(),
              "config: label is required, and all there is: the label that has the price");
  }
}

// Noon on 1 June 2026 is in maintenance, and the ten minutes before.
TEST(RemoteFilterGo, ClosesNodesInMaintenance) {
  PluginProgram program({kSampleBin + "/maintenance"});
  PluginClient client(program.dialer());
  EXPECT_EQ(client.Greet().refusal(), "");
  const auto node = [](uint32_t id, const std::string& name, const std::string& window, const std::string& spec = {}) {
    return NodeChange(
        id, name,
        fmt::format(R"({{"metadata": {{"annotations": {{"example.com/maintenance": "{}"}}}}, "spec": {{{}}}}})", window,
                    spec));
  };
  client.Tell({node(0, "closed", "2026-06-01T12:00:00Z/2026-06-01T14:00:00+01:00"), node(1, "odd", "tomorrow"),
               NodeChange(2, "open", Labeled("open")),
               NodeChange(3, "cordoned", R"({"spec": {"unschedulable": true}})"),
               PodChange(1, "report", Labeled("report"))});
  constexpr int64_t kNoon = 1'780'315'200;
  const auto at = [&](int64_t seconds_from_noon) {
    wire::Call call = FilterCall(1, {0, 1, 2, 3});
    call.set_now((kNoon + seconds_from_noon) * 1'000'000'000);
    return Verdicts(client.Ask(call), 4).front();
  };
  const std::string closed = "UNSCHEDULABLE_AND_UNRESOLVABLE: node(s) were in maintenance until 2026-06-01T13:00:00Z";
  EXPECT_EQ(at(-601), "ok");
  EXPECT_EQ(at(-600), closed);
  EXPECT_EQ(at(3'599), closed);
  EXPECT_EQ(at(3'600), "ok");
  EXPECT_EQ(
      Verdicts(client.Ask(FilterCall(1, {0, 1, 2, 3})), 4),
      (std::vector<std::string>{"ok", "UNSCHEDULABLE_AND_UNRESOLVABLE: node(s) had no readable example.com/maintenance",
                                "ok", "UNSCHEDULABLE_AND_UNRESOLVABLE: node(s) were unschedulable"}));
}

TEST(RemoteFilterGo, SaysWhatIsWrongWithItsArguments) {
  PluginProgram program({kSampleBin + "/maintenance"});
  PluginClient client(program.dialer());
  EXPECT_EQ(client.Greet(R"({"lead": "soon"})").refusal(), "config: lead must be a duration, as in 10m");
}

// Answers every HTTP request of this machine by the node in its path: /well, or anything else.
class HealthServer {
 public:
  HealthServer() : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    BERTH_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0 && listen(listener_, 10) == 0);
    BERTH_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { Serve(stop); });
  }
  ~HealthServer() {
    thread_.request_stop();
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  HealthServer(const HealthServer&) = delete;
  HealthServer& operator=(const HealthServer&) = delete;

  uint16_t port() const { return port_; }

 private:
  void Serve(const std::stop_token& stop) const {
    while (!stop.stop_requested()) {
      const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      std::array<char, 4096> request = {};
      const ssize_t count = read(connection, request.data(), request.size());
      const bool is_well =
          std::string(request.data(), static_cast<size_t>(std::max<ssize_t>(count, 0))).starts_with("GET /well ");
      const std::string answer =
          is_well ? "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
                  : "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 9\r\nConnection: close\r\n\r\ndisk full";
      EXPECT_EQ(send(connection, answer.data(), answer.size(), MSG_NOSIGNAL), static_cast<ssize_t>(answer.size()));
      close(connection);
    }
  }

  const int listener_;
  uint16_t port_ = 0;
  std::jthread thread_;
};

class LivePermitTest : public testing::Test {
 protected:
  // What becomes of a pod on that node.
  wire::PermitVerdict VerdictAt(const std::string& node, uint16_t port) {
    PluginClient client(program_.dialer());
    EXPECT_EQ(client.Greet(fmt::format(R"({{"url": "http://{{address}}:{}/{{node}}"}})", port)).refusal(), "");
    client.Tell({NodeChange(0, node, R"({"status": {"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}]}})"),
                 PodChange(1, "pod", Labeled("pod"))});
    wire::Call call;
    call.set_cycle(3);
    call.mutable_permit()->set_pod(1);
    call.mutable_permit()->set_node(0);
    const wire::Answer answer = client.Ask(call);
    EXPECT_EQ(Text(answer.permit().status()), "WAIT");
    EXPECT_GT(answer.permit().timeout_millis(), 1'000u);
    return client.Next().permit();
  }

  PluginProgram program_{{kSampleBin + "/live-permit"}};
};

TEST_F(LivePermitTest, AsksTheNodeThatWasChosen) {
  const HealthServer server;
  const wire::PermitVerdict well = VerdictAt("well", server.port());
  EXPECT_TRUE(well.allow());
  EXPECT_EQ(well.pod(), 1u);
  EXPECT_EQ(well.cycle(), 3u);
  const wire::PermitVerdict ill = VerdictAt("ill", server.port());
  EXPECT_FALSE(ill.allow());
  EXPECT_EQ(ill.reason(), "node ill is not well: 503 Service Unavailable: disk full");
}

TEST_F(LivePermitTest, ANodeThatDoesNotAnswerIsNotWell) {
  uint16_t port = 0;
  {
    const HealthServer gone;
    port = gone.port();
  }
  const wire::PermitVerdict nobody = VerdictAt("well", port);
  EXPECT_FALSE(nobody.allow());
  EXPECT_NE(nobody.reason().find("connection refused"), std::string::npos) << nobody.reason();
}

TEST_F(LivePermitTest, SaysWhatIsWrongWithItsArguments) {
  PluginClient client(program_.dialer());
  EXPECT_NE(client.Greet("{}").refusal().find("config: url must be that of a node's health"), std::string::npos);
}

}  // namespace
}  // namespace berth::sdk
