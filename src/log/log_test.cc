// SPDX-License-Identifier: Apache-2.0
#include "log/logger.h"
#include "log/output.h"

#include <limits>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>

namespace berth::log {
namespace {

using namespace std::chrono_literals;

// 2026-11-16 08:44:01.123456789 UTC
constexpr Timestamp kMoment =
    std::chrono::sys_days(std::chrono::year(2026) / 11 / 16) + 8h + 44min + 1s + 123'456'789ns;

class LogTest : public testing::Test {
 protected:
  Logger Speaker(std::string module, Options options = {}) {
    options.process = 12345;
    output_ = std::make_unique<Output>(stream_, clock_, std::move(options));
    return {*output_, std::move(module)};
  }
  Logger JsonSpeaker(std::string module) { return Speaker(std::move(module), {Format::Json, 9, {}, 0}); }
  std::string Said() {
    std::string said = stream_.str();
    stream_.str("");
    return said;
  }

  std::ostringstream stream_;
  ManualClock clock_{kMoment};
  std::unique_ptr<Output> output_;
};

TEST_F(LogTest, TextIsLaidOutAsKlogDoes) {
  const Logger log = Speaker("queue");
  const std::string uid = "ab\"c";
  log.Info("Pod is ready", {{"pod", ObjectName{"shop", "web-1"}}, {"attempts", 2}, {"uid", uid}, {"gated", false}});
  EXPECT_EQ(Said(),
            "I1116 08:44:01.123456   12345 queue] \"Pod is ready\" pod=\"shop/web-1\" attempts=2 uid=\"ab\\\"c\" "
            "gated=false\n");
  log.Warning("Slow", {{"seconds", 1.5}, {"node", ObjectName{"", "n1"}}});
  EXPECT_EQ(Said(), "W1116 08:44:01.123456   12345 queue] \"Slow\" seconds=1.5 node=\"n1\"\n");
  log.Error("Line one\nline two", {{"bytes", size_t{18446744073709551615U}}, {"bell", "\a"}});
  EXPECT_EQ(Said(),
            "E1116 08:44:01.123456   12345 queue] \"Line one\\nline two\" bytes=18446744073709551615 bell=\"\\x07\"\n");
}

TEST_F(LogTest, JsonIsOneObjectPerLine) {
  const Logger log = JsonSpeaker("scheduler");
  log.V(3).Info("Pod \"x\"\n", {{"pod", ObjectName{"shop", "web-1"}}, {"cpu", -5}, {"ok", true}});
  EXPECT_EQ(
      Said(),
      "{\"ts\":1794818641123.456,\"severity\":\"info\",\"v\":3,\"logger\":\"scheduler\",\"msg\":\"Pod \\\"x\\\"\\n\","
      "\"pod\":{\"name\":\"web-1\",\"namespace\":\"shop\"},\"cpu\":-5,\"ok\":true}\n");
  log.Error("No", {{"err", "tab\t"}, {"node", ObjectName{"", "n1"}}});
  EXPECT_EQ(
      Said(),
      "{\"ts\":1794818641123.456,\"severity\":\"error\",\"logger\":\"scheduler\",\"msg\":\"No\",\"err\":\"tab\\u0009\","
      "\"node\":{\"name\":\"n1\"}}\n");
}

TEST_F(LogTest, JsonStaysJsonWhateverItIsGiven) {
  const Logger log = JsonSpeaker("x");
  log.Info("é", {{"bad", "a\xffz"}, {"cut", "\xe2\x82"}, {"nan", std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(
      Said(),
      "{\"ts\":1794818641123.456,\"severity\":\"info\",\"v\":0,\"logger\":\"x\",\"msg\":\"é\",\"bad\":\"a\\ufffdz\","
      "\"cut\":\"\\ufffd\\ufffd\",\"nan\":\"nan\"}\n");
}

TEST_F(LogTest, ModulesSayAsMuchAsTheyAreAskedTo) {
  const std::vector<ModuleLevel> levels = ParseModuleLevels("queue=4,plugins/Node*=1").value();
  const Logger root = Speaker("", {Format::Text, 2, levels, 0});
  const Logger queue = root.Named("queue");
  EXPECT_TRUE(queue.On(4));
  EXPECT_FALSE(queue.On(5));
  EXPECT_FALSE(root.Named("scheduler").On(3));
  EXPECT_TRUE(root.Named("scheduler").On(2));
  EXPECT_FALSE(root.Named("plugins").Named("NodeName").On(2));
  EXPECT_EQ(root.Named("plugins").Named("NodeName").module(), "plugins/NodeName");

  queue.V(5).Info("too much");
  EXPECT_EQ(Said(), "");
  queue.V(4).Info("enough");
  EXPECT_NE(Said(), "");
}

TEST_F(LogTest, WarningsAndErrorsAreSaidAtAnyVerbosity) {
  const Logger log = Speaker("x", {Format::Text, 0, ParseModuleLevels("x=0").value(), 0});
  log.Warning("w");
  log.Error("e");
  const std::string said = Said();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 2);
}

TEST(LoggerTest, ALoggerOfItsOwnDiscardsEverything) {
  const Logger log;
  EXPECT_FALSE(log.On(0));
  log.Info("nobody hears");
  log.Error("this");
  log.Named("part").V(0).Info("either");
}

TEST(ModuleLevelsTest, PatternsMatchWholePartsOfNames) {
  EXPECT_TRUE(MatchesModule("queue", "queue"));
  EXPECT_TRUE(MatchesModule("queue", "scheduler/queue"));
  EXPECT_FALSE(MatchesModule("queue", "queues"));
  EXPECT_FALSE(MatchesModule("queue", "queue/index"));
  EXPECT_TRUE(MatchesModule("q*e", "queue"));
  EXPECT_TRUE(MatchesModule("*", "scheduler/queue"));
  EXPECT_TRUE(MatchesModule("q?eue", "queue"));
  EXPECT_FALSE(MatchesModule("q?eue", "qeue"));
  EXPECT_TRUE(MatchesModule("plugins/*", "plugins/NodeName"));
  EXPECT_FALSE(MatchesModule("plugins/*", "plugins"));
  EXPECT_FALSE(MatchesModule("plugins/*", "plugins/a/b"));
}

TEST(ModuleLevelsTest, WhatIsNoPatternWithANumberIsRefused) {
  for (const char* text : {"queue", "queue=", "queue=x", "queue=-1", "=3", "queue=3x", "a=1,queue"}) {
    EXPECT_FALSE(ParseModuleLevels(text).has_value()) << text;
  }
  EXPECT_TRUE(ParseModuleLevels("").value().empty());
  EXPECT_EQ(ParseModuleLevels("a=1,,b=2,").value().size(), 2U);
  EXPECT_EQ(ParseModuleLevels("queue=x").error().message,
            "\"queue=x\" does not say how much a module logs: write PATTERN=N, for example queue=4");
}

TEST_F(LogTest, LinesOfSeveralThreadsDoNotMix) {
  constexpr int kThreads = 4;
  constexpr int kLines = 200;
  const Logger log = Speaker("threads");
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&log, t] {
        for (int i = 0; i < kLines; ++i) log.Info("line", {{"thread", t}, {"i", i}});
      });
    }
  }
  std::istringstream said(Said());
  int lines = 0;
  for (std::string line; std::getline(said, line); ++lines) {
    EXPECT_TRUE(line.starts_with("I1116 08:44:01.123456   12345 threads] \"line\" thread=")) << line;
    EXPECT_EQ(line.find("line", line.find("line") + 1), std::string::npos) << line;
  }
  EXPECT_EQ(lines, kThreads * kLines);
}

TEST_F(LogTest, TheVerbosityCanBeChangedLater) {
  const Logger log = Speaker("queue", {Format::Text, 0, {{"store", 1}}, 0});
  const Logger fixed = Logger(*output_, "store");
  EXPECT_FALSE(log.On(4));
  output_->SetVerbosity(4);
  EXPECT_TRUE(log.On(4));
  EXPECT_FALSE(fixed.On(2)) << "a pattern matches it";
  EXPECT_TRUE(fixed.On(1));
  EXPECT_FALSE(Logger().On(0));
}

}  // namespace
}  // namespace berth::log
