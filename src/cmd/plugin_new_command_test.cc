// SPDX-License-Identifier: Apache-2.0
// tests/sdk/ builds and runs what is written here.
#include "cmd/plugin_new_command.h"

#include "cmd/plugin_name.h"
#include "cmd/plugin_templates.h"
#include "cmd/test_commands.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace berth::cmd {
namespace {

namespace fs = std::filesystem;

TEST(PluginName, IsSpelledAsPlacesNeedIt) {
  const struct {
    std::string name;
    std::string spelled;
  } cases[] = {
      {"rack-aware", "RackAware rack_aware rack-aware"}, {"RackAware", "RackAware rack_aware rack-aware"},
      {"rackAware", "RackAware rack_aware rack-aware"},  {"HTTPCheck", "HttpCheck http_check http-check"},
      {"gpu2_fit", "Gpu2Fit gpu2_fit gpu2-fit"},         {"x", "X x x"},
      {"Zone4Fit", "Zone4Fit zone4_fit zone4-fit"},
  };
  for (const auto& test : cases) {
    const Result<PluginName> name = NewPluginName(test.name, {});
    ASSERT_TRUE(name) << test.name << ": " << name.error().message;
    EXPECT_EQ(name->name, test.name);
    EXPECT_EQ(name->class_name + " " + name->snake + " " + name->kebab, test.spelled);
  }
}

TEST(PluginName, WhatCannotBeANameIsToldWithOneThatCan) {
  const struct {
    std::string name;
    std::string instead;
  } cases[] = {
      {"my plugin", "my-plugin"},
      {"9lives", "plugin-9lives"},
      {"rack--aware", "rack-aware"},
      {"-rack", "rack"},
      {"rack-", "rack"},
      {"Rack.Aware", "rack-aware"},
      {"../escape", "escape"},
      {"{{name}}", "name"},
      {std::string(50, 'a'), std::string(40, 'a')},
      {"r\xc3\xa4"
       "cke",
       "r-cke"},
  };
  for (const auto& test : cases) {
    const Result<PluginName> name = NewPluginName(test.name, {});
    ASSERT_FALSE(name) << test.name;
    EXPECT_NE(name.error().message.find("; did you mean \"" + test.instead + "\"?"), std::string::npos)
        << name.error().message;
    EXPECT_TRUE(NewPluginName(test.instead, {})) << test.instead;
  }
  for (const std::string nothing : {"", "---", "\xf0\x9f\x9a\xa2"}) {
    EXPECT_EQ(NewPluginName(nothing, {}).error().message.find("did you mean"), std::string::npos) << nothing;
  }
}

class PluginNewTest : public ::testing::Test, public TestCommands {
 protected:
  static std::string Content(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string Folder(const std::string& name) {
    File("anything", "");  // makes the directory
    return directory() + "/" + name;
  }
};

TEST_F(PluginNewTest, EveryLanguageHasAProject) {
  const std::vector<std::string> languages = PluginLanguages();
  EXPECT_NE(std::find(languages.begin(), languages.end(), "cpp"), languages.end());
  for (const std::string& language : languages) {
    const std::string folder = Folder("project-" + language);
    ASSERT_EQ(Berth({"plugin", "new", "--lang", language, "RackAware", "--out", folder}), kExitOk) << err_;
    EXPECT_NE(out_.find("Made " + folder), std::string::npos) << out_;
    EXPECT_NE(out_.find("cd " + folder), std::string::npos) << "what to do next: " << out_;
    EXPECT_TRUE(fs::exists(folder + "/README.md"));
    EXPECT_TRUE(fs::exists(folder + "/config.yaml"));
    EXPECT_FALSE(fs::exists(folder + "/next_steps.txt"));
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      EXPECT_EQ(Content(entry.path()).find("{{"), std::string::npos) << entry.path();
      EXPECT_EQ(entry.path().string().find("SNAKE"), std::string::npos) << entry.path();
      EXPECT_NE(entry.path().extension(), ".in");
    }
  }
}

TEST_F(PluginNewTest, TheNameIsFilledIn) {
  const std::string folder = Folder("racks/plugin");
  ASSERT_EQ(Berth({"plugin", "new", "rack-aware", "--out", folder}), kExitOk) << err_;
  EXPECT_NE(Content(folder + "/main.cc").find("berth::WithPlugin<RackAware>(\"rack-aware\")"), std::string::npos);
  EXPECT_NE(Content(folder + "/rack_aware.cc").find("Status RackAware::Filter("), std::string::npos);
  EXPECT_NE(Content(folder + "/CMakeLists.txt").find("add_executable(rack-aware-scheduler"), std::string::npos);
}

TEST_F(PluginNewTest, NothingIsOverwritten) {
  const std::string folder = Folder("mine");
  ASSERT_EQ(Berth({"plugin", "new", "mine", "--out", folder}), kExitOk);
  EXPECT_EQ(Berth({"plugin", "new", "mine", "--out", folder}), kExitFailed);
  EXPECT_EQ(err_, "berth plugin new: " + folder + " exists already; name another folder with --out\n");
  EXPECT_EQ(out_, "");
  const std::string file = File("file", "mine");
  EXPECT_EQ(Berth({"plugin", "new", "mine", "--out", file}), kExitFailed);
  EXPECT_EQ(Content(file), "mine");
  EXPECT_EQ(Berth({"plugin", "new", "mine", "--out", file + "/below"}), kExitFailed);
  EXPECT_NE(err_.find("cannot make the folder"), std::string::npos) << err_;
  fs::create_directory(directory() + "/empty");
  EXPECT_EQ(Berth({"plugin", "new", "mine", "--out", directory() + "/empty"}), kExitOk) << err_;
}

TEST_F(PluginNewTest, WrongWordsAreUsageErrors) {
  EXPECT_EQ(Berth({"plugin", "new"}), kExitUsage);
  EXPECT_EQ(Berth({"plugin"}), kExitUsage);
  EXPECT_EQ(Berth({"plugin", "nwe", "x"}), kExitUsage);
  EXPECT_NE(err_.find("unknown command \"nwe\""), std::string::npos) << err_;
  EXPECT_EQ(Berth({"plugin", "new", "--lang", "cobol", "x"}), kExitUsage);
  EXPECT_NE(err_.find("cobol not in {cpp"), std::string::npos) << err_;
  EXPECT_EQ(Berth({"plugin", "new", "my plugin"}), kExitUsage);
  EXPECT_NE(err_.find("did you mean \"my-plugin\"?"), std::string::npos) << err_;
  EXPECT_EQ(Berth({"plugin", "new", "NodeName"}), kExitUsage);
  EXPECT_NE(err_.find("\"NodeName\" is a plugin that this program has already; did you mean \"MyNodeName\"?"),
            std::string::npos)
      << err_;
}

}  // namespace
}  // namespace berth::cmd
