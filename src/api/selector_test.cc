// SPDX-License-Identifier: Apache-2.0
#include "api/field_selector.h"
#include "api/label_table.h"
#include "api/labels.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(Labels, KeepsKeysSortedAndUnique) {
  Labels labels{{"b", "1"}, {"a", "2"}, {"b", "3"}};
  EXPECT_EQ(labels.size(), 2U);
  EXPECT_EQ(labels.begin()->first, "a");
  EXPECT_EQ(*labels.Find("b"), "3");
  EXPECT_EQ(labels.Find("c"), nullptr);
  labels.Set("aa", "");
  EXPECT_TRUE(labels.Has("aa"));
  EXPECT_EQ(labels, (Labels{{"aa", ""}, {"a", "2"}, {"b", "3"}}));
}

TEST(Labels, CopiesStandAlone) {
  const Labels labels{{"a", "1"}};
  Labels copy = labels;
  EXPECT_EQ(copy.begin(), labels.begin()) << "shared as long as they are equal";
  copy.Set("a", "2");
  copy.Set("b", "3");
  EXPECT_EQ(labels, (Labels{{"a", "1"}}));
  EXPECT_EQ(copy, (Labels{{"a", "2"}, {"b", "3"}}));
  EXPECT_EQ(Labels(), Labels(Labels::Entries()));
  EXPECT_NE(Labels(), labels);
}

TEST(LabelTable, EqualLabelsAreOneForAsLongAsTheyAreUsed) {
  LabelTable table;
  const Labels a = table.Shared({{"app", "web"}, {"tier", "front"}});
  for (int i = 0; i < 100; ++i) {
    const Labels other = table.Shared({{"job", std::to_string(i)}});
    EXPECT_EQ(other, (Labels{{"job", std::to_string(i)}}));
    EXPECT_EQ(table.Shared({{"tier", "front"}, {"app", "web"}}).begin(), a.begin());
    EXPECT_EQ(table.size(), 2U);
  }
  EXPECT_TRUE(table.Shared({}).empty());
  EXPECT_EQ(table.size(), 1U);
}

TEST(Selector, MatchesAsKubectlDoes) {
  struct Case {
    const char* selector;
    Labels labels;
    bool matches;
  };
  const Case cases[] = {
      {"", {}, true},
      {"", {{"a", "b"}}, true},
      {"a=b", {{"a", "b"}}, true},
      {"a==b", {{"a", "b"}}, true},
      {"a=b", {{"a", "c"}}, false},
      {"a=b", {}, false},
      {"a=", {{"a", ""}}, true},
      {"a=", {}, false},
      {"a!=b", {}, true},
      {"a!=b", {{"a", "b"}}, false},
      {"a!=b", {{"a", "c"}}, true},
      {"a in (b,c)", {{"a", "c"}}, true},
      {"a in (b,c)", {{"a", "d"}}, false},
      {"a in (b,c)", {}, false},
      {"a in ()", {{"a", ""}}, true},
      {"a in (,b)", {{"a", ""}}, true},
      {"a notin (b,c)", {{"a", "c"}}, false},
      {"a notin (b,c)", {{"a", "d"}}, true},
      {"a notin (b,c)", {}, true},
      {"a", {{"a", "x"}}, true},
      {"a", {}, false},
      {"!a", {}, true},
      {"! a", {{"a", "x"}}, false},
      {"a,!b", {{"a", "x"}}, true},
      {"a,!b", {{"a", "x"}, {"b", ""}}, false},
      {" a = b , c in ( d , e ) ", {{"a", "b"}, {"c", "e"}}, true},
      {"in in (in)", {{"in", "in"}}, true},
      {"example.com/a.b_c=v", {{"example.com/a.b_c", "v"}}, true},
  };
  for (const Case& c : cases) {
    const Result<Selector> selector = Selector::Parse(c.selector);
    ASSERT_TRUE(selector.has_value()) << c.selector << ": " << selector.error().message;
    EXPECT_EQ(selector->Matches(c.labels), c.matches) << c.selector;
  }
}

TEST(Selector, RefusesMalformedText) {
  for (const char* text : {",",   "a,",    ",a",     "a=b,",          "a b",     "=",
                           "=b",  "a=b=c", "a in b", "a in (b",       "a in b)", "a in (b c)",
                           "!",   "!a=b",  "!!a",    "a!b",           "-a",      "a-",
                           "/a",  "a/",    "a/b/c",  "Example.com/a", "a=-b",    "a=b/c",
                           "a>1", "a<1",   "(a)",    "a notin",       "a in (-)"}) {
    EXPECT_FALSE(Selector::Parse(text).has_value()) << text;
  }
  EXPECT_FALSE(Selector::Parse(std::string(64, 'a')).has_value());
  EXPECT_TRUE(Selector::Parse(std::string(63, 'a')).has_value());
}

TEST(Selector, FromAbsentEmptyAndFull) {
  EXPECT_TRUE(Selector::From(std::nullopt)->selects_nothing());
  EXPECT_FALSE(Selector::From(std::nullopt)->Matches({}));
  EXPECT_TRUE(Selector::From(LabelSelector{})->selects_everything());
  EXPECT_TRUE(Selector::From(LabelSelector{})->Matches({}));
  const LabelSelector full{{{"a", "b"}}, {{"c", "NotIn", {"e", "d", "e"}}, {"f", "Exists", {}}}};
  const Result<Selector> selector = Selector::From(full);
  ASSERT_TRUE(selector.has_value());
  EXPECT_TRUE(selector->Matches({{"a", "b"}, {"f", ""}}));
  EXPECT_FALSE(selector->Matches({{"a", "b"}, {"c", "d"}, {"f", ""}}));
  EXPECT_EQ(selector->ToString(), "a=b,c notin (d,e),f");
}

TEST(Selector, FromRefusesWhatDoesNotFit) {
  const LabelSelector::Requirement bad[] = {
      {"a", "In", {}},  {"a", "NotIn", {}}, {"a", "Exists", {"b"}}, {"a", "DoesNotExist", {"b"}}, {"a", "Gt", {"1"}},
      {"a", "", {"b"}}, {"", "Exists", {}}, {"-a", "Exists", {}},   {"a", "In", {"b", "-"}},      {"a", "in", {"b"}},
  };
  for (const auto& requirement : bad) {
    EXPECT_FALSE(Selector::From(LabelSelector{{}, {requirement}}).has_value()) << requirement.key << requirement.op;
  }
  EXPECT_FALSE(Selector::From(LabelSelector{{{"a", "no spaces"}}, {}}).has_value());
}

TEST(Selector, EqualSelectorsHaveEqualTexts) {
  const Selector one = *Selector::Parse("b in (y,x),a!=c,!d,e");
  const Selector two = *Selector::Parse("e,!d,a notin (c),b in (x,y,x)");
  EXPECT_EQ(one, two);
  EXPECT_EQ(one.ToString(), two.ToString());
  EXPECT_EQ(*Selector::Parse(one.ToString()), one);
  EXPECT_NE(Selector::Nothing().ToString(), Selector::Everything().ToString());
  Selector nothing;
  nothing.Add({"a", Selector::Op::Exists, {}});
  EXPECT_TRUE(nothing.selects_nothing());
  EXPECT_TRUE(Selector::FromLabels({}).selects_everything());
  EXPECT_TRUE(Selector::FromLabels({{"not a key", "x"}}).Matches({{"not a key", "x"}}));
}

TEST(FieldSelector, ParsesAndMatches) {
  const auto lookup = [](std::string_view field) -> std::string {
    if (field == "spec.nodeName") return "n1";
    if (field == "odd") return "a,b=c\\";
    return "";
  };
  struct Case {
    const char* text;
    bool matches;
  };
  const Case cases[] = {{"", true},
                        {"spec.nodeName=n1", true},
                        {"spec.nodeName==n1", true},
                        {"spec.nodeName!=n1", false},
                        {"spec.nodeName=n1,status.phase!=Failed", true},
                        {"spec.nodeName=", false},
                        {"status.phase=", true},
                        {",spec.nodeName=n1,", true},
                        {"odd=a\\,b\\=c\\\\", true}};
  for (const Case& c : cases) {
    const Result<FieldSelector> selector = FieldSelector::Parse(c.text);
    ASSERT_TRUE(selector.has_value()) << c.text;
    EXPECT_EQ(selector->Matches(lookup), c.matches) << c.text;
  }
  for (const char* text : {"a", "a,b=c", "a=b\\", "a=\\x", "a=b=c"}) {
    EXPECT_FALSE(FieldSelector::Parse(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace berth::api
