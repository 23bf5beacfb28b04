// SPDX-License-Identifier: Apache-2.0
#include "api/node_selector.h"

#include "api/resources.h"
#include "api/taint.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

TEST(NodeSelector, MatchesRequirements) {
  const Labels labels{{"zone", "a"}, {"cores", "007"}, {"low", "-3"}, {"plus", "+5"}, {"word", "x"}, {"none", ""}};
  struct Case {
    NodeSelectorRequirement requirement;
    bool matches;
  };
  const Case cases[] = {
      {{"zone", "In", {"b", "a"}}, true},
      {{"zone", "In", {"b"}}, false},
      {{"zone", "In", {}}, false},
      {{"zone", "NotIn", {"b"}}, true},
      {{"zone", "NotIn", {}}, false},
      {{"gone", "NotIn", {"b"}}, true},
      {{"gone", "In", {"b"}}, false},
      {{"gone", "NotIn", {"not a value"}}, false},
      {{"none", "Exists", {}}, true},
      {{"none", "Exists", {"x"}}, false},
      {{"gone", "DoesNotExist", {}}, true},
      {{"none", "DoesNotExist", {}}, false},
      {{"cores", "Gt", {"6"}}, true},
      {{"cores", "Gt", {"7"}}, false},
      {{"cores", "Lt", {"0010"}}, true},
      {{"low", "Lt", {"0"}}, true},
      {{"plus", "Gt", {"4"}}, true},
      {{"low", "Gt", {"-5"}}, false},  // an integer, but no label value
      {{"cores", "Gt", {"+5"}}, false},
      {{"word", "Gt", {"0"}}, false},
      {{"none", "Lt", {"1"}}, false},
      {{"gone", "Lt", {"1"}}, false},
      {{"cores", "Gt", {"x"}}, false},
      {{"cores", "Gt", {}}, false},
      {{"cores", "Gt", {"1", "2"}}, false},
      {{"cores", "Gt", {"99999999999999999999"}}, false},
      {{"zone", "in", {"a"}}, false},
      {{"zone", "", {"a"}}, false},
      {{"bad key", "DoesNotExist", {}}, false},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Matches(c.requirement, labels), c.matches) << c.requirement.key << " " << c.requirement.op;
  }
}

TEST(NodeSelector, MatchesTermsAndFields) {
  const Labels labels{{"zone", "a"}};
  const NodeSelectorRequirement in_a{"zone", "In", {"a"}};
  const NodeSelectorRequirement named{"metadata.name", "In", {"n1"}};
  EXPECT_FALSE(Matches(NodeSelectorTerm{}, labels, "n1"));
  EXPECT_TRUE(Matches(NodeSelectorTerm{{in_a}, {named}}, labels, "n1"));
  EXPECT_FALSE(Matches(NodeSelectorTerm{{in_a}, {named}}, labels, "n2"));
  EXPECT_TRUE(Matches(NodeSelectorTerm{{}, {{"metadata.name", "NotIn", {"n1"}}}}, labels, "n2"));
  EXPECT_FALSE(Matches(NodeSelectorTerm{{}, {{"metadata.name", "In", {"n1", "n2"}}}}, labels, "n2"));
  EXPECT_FALSE(Matches(NodeSelectorTerm{{}, {{"metadata.name", "Exists", {}}}}, labels, "n2"));
  EXPECT_FALSE(Matches(NodeSelectorTerm{{}, {{"spec.x", "In", {"n2"}}}}, labels, "n2"));
  // One bad requirement spoils its term, and its term only.
  const NodeSelectorTerm spoilt{{in_a, {"zone", "Like", {"a"}}}, {}};
  EXPECT_FALSE(Parses(spoilt));
  EXPECT_FALSE(Matches(spoilt, labels, "n1"));
  EXPECT_TRUE(Matches(NodeSelector{{spoilt, NodeSelectorTerm{}, {{in_a}, {}}}}, labels, "n1"));
  EXPECT_FALSE(Matches(NodeSelector{}, labels, "n1"));
}

TEST(Toleration, Tolerates) {
  const Taint taint{"k", "v", TaintEffect::NoSchedule};
  struct Case {
    Toleration toleration;
    bool tolerates;
  };
  const Case cases[] = {
      {{"k", "Equal", "v", TaintEffect::NoSchedule}, true},  {{"k", "", "v", TaintEffect::None}, true},
      {{"k", "Equal", "w", TaintEffect::NoSchedule}, false}, {{"k", "Exists", "", TaintEffect::NoSchedule}, true},
      {{"k", "Exists", "w", TaintEffect::NoSchedule}, true}, {{"j", "Exists", "", TaintEffect::NoSchedule}, false},
      {{"k", "Exists", "", TaintEffect::NoExecute}, false},  {{"", "Exists", "", TaintEffect::None}, true},
      {{"", "Equal", "v", TaintEffect::None}, true},         {{"", "", "", TaintEffect::None}, false},
      {{"k", "Gt", "1", TaintEffect::None}, false},          {{"k", "Near", "v", TaintEffect::None}, false},
  };
  for (const Case& c : cases) EXPECT_EQ(c.toleration.Tolerates(taint), c.tolerates) << c.toleration.op;
  EXPECT_FALSE(Tolerated(taint, {}));
  const Toleration two[] = {cases[2].toleration, cases[3].toleration};
  EXPECT_TRUE(Tolerated(taint, two));
}

TEST(Resources, NamesHaveKinds) {
  struct Case {
    const char* name;
    bool native, extended, scalar;
  };
  const Case cases[] = {{"cpu", true, false, false},
                        {"memory", true, false, false},
                        {"gpu", true, false, false},
                        {"hugepages-2Mi", true, false, true},
                        {"attachable-volumes-aws-ebs", true, false, true},
                        {"nvidia.com/gpu", false, true, true},
                        {"kubernetes.io/thing", true, false, true},
                        {"sub.kubernetes.io/thing", true, false, true},
                        {"requests.example.com/gpu", false, false, false},
                        {"example.com/", false, false, false},
                        {"Example.com/gpu", false, false, false}};
  for (const Case& c : cases) {
    EXPECT_EQ(IsNativeResource(c.name), c.native) << c.name;
    EXPECT_EQ(IsExtendedResource(c.name), c.extended) << c.name;
    EXPECT_EQ(IsScalarResource(c.name), c.scalar) << c.name;
  }
}

TEST(Resources, ListsAddAndRaise) {
  ResourceList list;
  list.Add("cpu", Quantity::FromInt(1));
  list.Add("cpu", Quantity::FromInt(2));
  list.Raise("cpu", Quantity::FromInt(2));
  list.Raise("a", Quantity::FromInt(5));
  EXPECT_EQ(list.Find("cpu")->Value(), 3);
  EXPECT_EQ(list.begin()->first, "a");
  ResourceList other;
  other.Set("cpu", Quantity::FromInt(10));
  other.Set("cpu", Quantity::FromInt(4));
  list.RaiseAll(other);
  list.AddAll(other);
  EXPECT_EQ(list.Find("cpu")->Value(), 8);
  EXPECT_EQ(list.Find("b"), nullptr);
}

}  // namespace
}  // namespace berth::api
