// SPDX-License-Identifier: Apache-2.0
#include "flags/flag_set.h"

#include <gtest/gtest.h>

namespace berth::flags {
namespace {

class FlagSetTest : public ::testing::Test {
 protected:
  struct Values {
    std::string name = "initial";
    int64_t level = 0;
    bool on = false;
    bool help = false;
  };

  // The arguments that are no flags, or the mistake.
  std::string Parse(const std::vector<std::string>& arguments) {
    values_ = {};
    flags_ = {};
    flags_.Add("some", "the-name", StringValue(values_.name), "a name");
    flags_.Add("some", "level", IntValue(values_.level), "a level").shorthand = 'v';
    flags_.Add("other", "on", BoolValue(values_.on), "a switch").shorthand = 'o';
    flags_.Add("other", "help", BoolValue(values_.help), "help").shorthand = 'h';
    const auto others = flags_.Parse(arguments);
    if (!others) return others.error().message;
    std::string text;
    for (const std::string& other : *others) text += "<" + other + ">";
    return text;
  }

  Values values_;
  FlagSet flags_;
};

TEST_F(FlagSetTest, ValuesFollowInEveryForm) {
  const std::vector<std::vector<std::string>> forms = {{"--level", "4"}, {"--level=4"}, {"-v", "4"},
                                                       {"-v4"},          {"-v=4"},      {"--level=1", "-v4"}};
  for (const auto& arguments : forms) {
    EXPECT_EQ(Parse(arguments), "");
    EXPECT_EQ(values_.level, 4) << ::testing::PrintToString(arguments);
    EXPECT_TRUE(flags_.Find("level")->given);
    EXPECT_FALSE(flags_.Find("the-name")->given);
  }
}

TEST_F(FlagSetTest, SwitchesTakeAValueOnlyAfterAnEqualsSign) {
  EXPECT_EQ(Parse({"--on", "false"}), "<false>");
  EXPECT_TRUE(values_.on);
  EXPECT_EQ(Parse({"--on=false"}), "");
  EXPECT_FALSE(values_.on);
  EXPECT_EQ(Parse({"-ohv", "3"}), "");
  EXPECT_TRUE(values_.on && values_.help);
  EXPECT_EQ(values_.level, 3);
  EXPECT_EQ(Parse({"-o=f"}), "");
  EXPECT_FALSE(values_.on);
}

TEST_F(FlagSetTest, UnderscoresInNamesAreHyphens) {
  EXPECT_EQ(Parse({"--the_name=a_b"}), "");
  EXPECT_EQ(values_.name, "a_b");
}

TEST_F(FlagSetTest, OtherArgumentsMayStandAnywhere) {
  EXPECT_EQ(Parse({"a", "--on", "-", "--level", "--", "b"}),
            "invalid argument \"--\" for \"-v, --level\" flag: strconv.ParseInt: parsing \"--\": invalid syntax");
  EXPECT_EQ(Parse({"a", "--on", "-", "", "--", "--level", "b"}), "<a><-><><--level><b>");
  EXPECT_EQ(values_.level, 0);
}

TEST_F(FlagSetTest, MistakesAreNamedAsPflagDoes) {
  const struct {
    std::vector<std::string> arguments;
    std::string says;
  } cases[] = {
      {{"--nope"}, "unknown flag: --nope"},
      {{"--no_pe=3"}, "unknown flag: --no_pe"},
      {{"-x"}, "unknown shorthand flag: 'x' in -x"},
      {{"-oxy"}, "unknown shorthand flag: 'x' in -xy"},
      {{"--level"}, "flag needs an argument: --level"},
      {{"-v"}, "flag needs an argument: 'v' in -v"},
      {{"-ov"}, "flag needs an argument: 'v' in -v"},
      {{"---on"}, "bad flag syntax: ---on"},
      {{"--=3"}, "bad flag syntax: --=3"},
      {{"--on=maybe"},
       "invalid argument \"maybe\" for \"-o, --on\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax"},
  };
  for (const auto& test : cases) EXPECT_EQ(Parse(test.arguments), test.says);
}

TEST_F(FlagSetTest, FlagsAreListedBySection) {
  Parse({"--on"});
  const std::vector<FlagSet::Section> sections = flags_.Sections();
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].name, "some");
  EXPECT_EQ(sections[0].flags.front()->name, "level");
  EXPECT_EQ(sections[1].flags.back()->name, "on");
  EXPECT_EQ(flags_.Flags().size(), 4U);
  EXPECT_EQ(flags_.Find("on")->default_text, "false");
  EXPECT_EQ(flags_.Find("on")->value.text(), "true");
  EXPECT_EQ(flags_.Find("nope"), nullptr);
}

}  // namespace
}  // namespace berth::flags
