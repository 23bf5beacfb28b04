// SPDX-License-Identifier: Apache-2.0
#include "remote/plugin_dialers.h"

#include <future>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace berth::remote {
namespace {

class UntilLost final : public ChannelListener {
 public:
  void Connected() override {}
  void Received(PluginMessage /*message*/) override {}
  void Lost(const std::string& why) override { lost.set_value(why); }
  std::promise<std::string> lost;
};

TEST(PluginDialers, ALossSaysWhyTheProgramDoesNotRun) {
  PluginDialers dialers;
  RemotePluginArgs args;
  args.command = {"/missing/plugin"};
  const auto dialer = dialers.Make("Tested", args);
  ASSERT_TRUE(dialer) << dialer.error().message;
  UntilLost listener;
  const auto channel = (*dialer)->Dial(listener);
  const std::string why = listener.lost.get_future().get();
  EXPECT_NE(why.find("(cannot start '/missing/plugin': cannot execute it: No such file or directory)"),
            std::string::npos)
      << why;
}

TEST(PluginDialers, ProfilesWithTheSamePluginShareItsProgram) {
  PluginDialers dialers;
  RemotePluginArgs args;
  args.command = {"sleep", "1000"};
  const auto one = dialers.Make("Tested", args);
  EXPECT_TRUE(dialers.Make("Tested", args));
  args.command = {"sleep", "2000"};
  EXPECT_FALSE(dialers.Make("Tested", args));
  EXPECT_TRUE(dialers.Make("Another", args));
}

TEST(PluginDialers, AnEndpointThatCannotBeIsRefused) {
  PluginDialers dialers;
  RemotePluginArgs args;
  args.endpoint = "tcp://10.0.0.1:7000";
  const auto dialer = dialers.Make("Tested", args);
  ASSERT_FALSE(dialer);
  EXPECT_EQ(dialer.error().message, "tcp://10.0.0.1:7000 is another machine: it needs TLS, as tls://");
}

}  // namespace
}  // namespace berth::remote
