// SPDX-License-Identifier: Apache-2.0
#include "extender/json_cursor.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

std::string ProblemOfSkipping(std::string_view text) {
  JsonCursor cursor(text);
  cursor.Skip();
  return cursor.problem();
}

std::string TextIn(std::string_view text) {
  JsonCursor cursor(text);
  std::string read = cursor.Text();
  EXPECT_EQ(cursor.problem(), "") << text;
  return read;
}

TEST(JsonCursor, ReadsMembersAndItemsInOrder) {
  JsonCursor cursor(
      R"( { "a" : [ "x" , "y" ] , "b\u0063" : { } , "n" : -12 , "skipped" : [ { "x" : [ ] } , 1.5e3 ] } )");
  std::string seen;
  ASSERT_TRUE(cursor.EnterMap());
  while (const auto name = cursor.NextMember()) {
    seen += *name;
    if (*name == "a" && cursor.EnterList()) {
      while (cursor.NextItem()) seen += cursor.Text();
    } else if (*name == "bc" && cursor.EnterMap()) {
      while (cursor.NextMember()) seen += "?";
    } else if (*name == "n") {
      seen += std::to_string(cursor.Number());
    } else {
      cursor.Skip();
    }
    seen += ';';
  }
  EXPECT_EQ(seen, "axy;bc;n-12;skipped;");
  EXPECT_EQ(cursor.problem(), "");
}

TEST(JsonCursor, NullStandsForNothing) {
  for (const std::string_view text : {"null", " null "}) {
    JsonCursor map(text);
    EXPECT_FALSE(map.EnterMap());
    EXPECT_EQ(map.problem(), "");
    JsonCursor list(text);
    EXPECT_FALSE(list.EnterList());
    EXPECT_EQ(list.problem(), "");
    EXPECT_EQ(TextIn(text), "");
    EXPECT_EQ(JsonCursor(text).Number(), 0);
  }
}

TEST(JsonCursor, DecodesStringsAsGoDoes) {
  const std::vector<std::pair<std::string_view, std::string>> cases = {
      {R"("plain")", "plain"},
      {R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {R"("\u0041\u00e9\u20AC")", "A\u00e9\u20ac"},
      {R"("\ud83d\ude00")", "\U0001F600"},
      {R"("\ud83d")", "\uFFFD"},
      {R"("\ude00x")", "\uFFFDx"},
      {R"("\ud83d\u0041")", "\uFFFDA"},
      {"\"\xff\xc3\xa9\"", "\uFFFD\u00e9"},
  };
  for (const auto& [text, meant] : cases) EXPECT_EQ(TextIn(text), meant) << text;
}

TEST(JsonCursor, LeavesAloneWhatFollowsTheValue) {
  EXPECT_EQ(ProblemOfSkipping("{} nonsense"), "");
  EXPECT_EQ(ProblemOfSkipping("1 2"), "");
}

TEST(JsonCursor, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string_view, std::string>> cases = {
      {"", "EOF"},
      {" \n", "EOF"},
      {"{", "unexpected EOF"},
      {R"({"a)", "unexpected EOF"},
      {R"({"a\)", "unexpected EOF"},
      {R"({"a\u12)", "unexpected EOF"},
      {R"({"a":)", "unexpected EOF"},
      {R"({"a":1)", "unexpected EOF"},
      {"[1,", "unexpected EOF"},
      {"-", "unexpected EOF"},
      {"1.", "unexpected EOF"},
      {"<html>", "a value expected at byte 0, not '<'"},
      {"[1 2]", "',' or ']' expected at byte 3, not '2'"},
      {"[1,]", "a value expected at byte 3, not ']'"},
      {R"({"a" 1})", "':' expected at byte 5, not '1'"},
      {R"({"a":1 "b":2})", "',' or '}' expected at byte 7, not '\"'"},
      {R"({"a":1,})", "a string expected at byte 7, not '}'"},
      {"{1:2}", "a string expected at byte 1, not '1'"},
      {"[1}", "',' or ']' expected at byte 2, not '}'"},
      {"01", ""},  // 0, and something after it
      {"1e", "unexpected EOF"},
      {"1.x", "a digit expected at byte 2, not 'x'"},
      {"nul", "a value expected at byte 0, not 'n'"},
      {"\"a\nb\"", "a control character in a string at byte 2"},
      {R"("\x")", "an escape that means nothing in a string at byte 1"},
      {R"("\u12x4")", "an escape that means nothing in a string at byte 1"},
      {R"("\u12")", "an escape that means nothing in a string at byte 1"},
      {"\xff", "a value expected at byte 0, not 0xff"},
  };
  for (const auto& [text, problem] : cases) EXPECT_EQ(ProblemOfSkipping(text), problem) << text;
}

TEST(JsonCursor, RefusesValuesOfAnotherKind) {
  JsonCursor text("5");
  text.Text();
  EXPECT_EQ(text.problem(), "a string expected at byte 0, not '5'");
  JsonCursor number(R"("5")");
  number.Number();
  EXPECT_EQ(number.problem(), "a number expected at byte 0, not '\"'");
  for (const std::string_view each : {"5.0", "1e2", "9223372036854775808"}) {
    JsonCursor cursor(each);
    cursor.Number();
    EXPECT_EQ(cursor.problem(), std::string(each) + " is no integer of 64 bits");
  }
  JsonCursor map("[]");
  EXPECT_FALSE(map.EnterMap());
  EXPECT_EQ(map.problem(), "a map expected at byte 0, not '['");
}

TEST(JsonCursor, ReadsNothingAfterAProblem) {
  JsonCursor cursor(R"({"a": ?, "b": 2})");
  ASSERT_TRUE(cursor.EnterMap());
  ASSERT_TRUE(cursor.NextMember().has_value());
  EXPECT_EQ(cursor.Number(), 0);
  EXPECT_FALSE(cursor.NextMember().has_value());
  EXPECT_FALSE(cursor.NextItem());
  EXPECT_FALSE(cursor.EnterList());
  EXPECT_EQ(cursor.problem(), "a number expected at byte 6, not '?'");
}

TEST(JsonCursor, BoundsTheDepth) {
  EXPECT_EQ(ProblemOfSkipping(std::string(10'000, '[') + std::string(10'000, ']')), "");
  EXPECT_EQ(ProblemOfSkipping(std::string(10'001, '[')), "exceeded max depth");
}

// A cut at any byte is noticed, and nothing is read beyond it.
TEST(JsonCursor, NoticesEveryCut) {
  const std::string whole = R"({"a":[{"b":"c\u00e9\\"},-1.5e+3,null,true],"d":{}})";
  ASSERT_EQ(ProblemOfSkipping(whole), "");
  for (size_t size = 1; size < whole.size(); ++size) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_NE(ProblemOfSkipping({cut.data(), cut.size()}), "") << size;
  }
}

TEST(IsMember, ComparesLettersOfEitherCase) {
  EXPECT_TRUE(IsMember("nodenames", "NodeNames"));
  EXPECT_TRUE(IsMember("NODENAMES", "NodeNames"));
  EXPECT_FALSE(IsMember("NodeName", "NodeNames"));
  EXPECT_FALSE(IsMember("node_names", "NodeNames"));
}

}  // namespace
}  // namespace berth::extender
