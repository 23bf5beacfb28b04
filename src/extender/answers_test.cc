// SPDX-License-Identifier: Apache-2.0
#include "extender/answers.h"

#include "extender/test_calls.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

using Names = std::vector<std::string>;
using Reasons = std::map<std::string, std::string>;

TEST(FilterAnswer, IsReadWithNodes) {
  const auto answer = ReadFilterAnswer(R"({
    "Nodes": {"metadata": {"resourceVersion": "1"}, "items": [
      {"metadata": {"labels": {"name": "l"}, "name": "n1"}, "spec": {"taints": [{"name": "t"}]}},
      {"status": {}, "metadata": {"name": "n2"}},
      {"status": {}},
      null]},
    "NodeNames": null,
    "FailedNodes": {"n3": "too far", "n4": ""},
    "FailedAndUnresolvableNodes": {"n5": "on fire"},
    "Error": ""})",
                                       false);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->passed, (Names{"n1", "n2", "", ""}));
  EXPECT_EQ(answer->failed, (Reasons{{"n3", "too far"}, {"n4", ""}}));
  EXPECT_EQ(answer->failed_unresolvable, (Reasons{{"n5", "on fire"}}));
  EXPECT_EQ(answer->error, "");
}

TEST(FilterAnswer, PrefersNamesOfAnExtenderThatKnowsTheNodes) {
  const std::string_view both = R"({"Nodes": {"items": [{"metadata": {"name": "n1"}}]}, "NodeNames": ["n2", "n3"]})";
  EXPECT_EQ(ReadFilterAnswer(both, true)->passed, (Names{"n2", "n3"}));
  EXPECT_EQ(ReadFilterAnswer(both, false)->passed, (Names{"n1"}));
  const std::string_view nodes = R"({"Nodes": {"items": [{"metadata": {"name": "n1"}}]}, "NodeNames": null})";
  EXPECT_EQ(ReadFilterAnswer(nodes, true)->passed, (Names{"n1"}));
  const std::string_view none = R"({"Nodes": {"items": [{"metadata": {"name": "n1"}}]}, "NodeNames": []})";
  EXPECT_EQ(ReadFilterAnswer(none, true)->passed, (Names{}));
}

TEST(FilterAnswer, TakesNamesInAnyCaseAndPassesOverOthers) {
  const auto answer = ReadFilterAnswer(
      R"({"nodenames": ["n1"], "failedNODES": {"N2": "x"}, "error": "e", "other": [{"Error": "no"}]})", true);
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  EXPECT_EQ(answer->passed, (Names{"n1"}));
  EXPECT_EQ(answer->failed, (Reasons{{"N2", "x"}}));
  EXPECT_EQ(answer->error, "e");
  const auto nodes = ReadFilterAnswer(R"({"nodes": {"Items": [{"METADATA": {"Name": "n1"}}]}})", false);
  EXPECT_EQ(nodes->passed, (Names{"n1"}));
}

TEST(FilterAnswer, IsEmptyWhenNothingIsSaid) {
  for (const std::string_view text : {"{}", "null", R"({"Nodes": null})", R"({"Nodes": {"items": null}})"}) {
    const auto answer = ReadFilterAnswer(text, false);
    ASSERT_TRUE(answer.has_value()) << text;
    EXPECT_EQ(answer->passed, Names{}) << text;
  }
}

TEST(FilterAnswer, IsNoneWhenItsTypesAreOthers) {
  EXPECT_EQ(ReadFilterAnswer("[]", false).error().message, "a map expected at byte 0, not '['");
  EXPECT_EQ(ReadFilterAnswer(R"({"NodeNames": "n1"})", true).error().message, "a list expected at byte 14, not '\"'");
  EXPECT_EQ(ReadFilterAnswer(R"({"NodeNames": [1]})", true).error().message, "a string expected at byte 15, not '1'");
  EXPECT_EQ(ReadFilterAnswer(R"({"NodeNames": ["n1"])", true).error().message, "unexpected EOF");
}

TEST(PrioritizeAnswer, IsAListOfHostsWithScores) {
  const auto answer = ReadPrioritizeAnswer(R"([{"Host": "n1", "Score": 10}, {"score": -3, "host": "n2"}, {}, null])");
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  ASSERT_EQ(answer->scores.size(), 4u);
  EXPECT_EQ(answer->scores[0].host, "n1");
  EXPECT_EQ(answer->scores[0].score, 10);
  EXPECT_EQ(answer->scores[1].host, "n2");
  EXPECT_EQ(answer->scores[1].score, -3);
  EXPECT_EQ(answer->scores[2].host, "");
  EXPECT_TRUE(ReadPrioritizeAnswer("null")->scores.empty());
  EXPECT_FALSE(ReadPrioritizeAnswer("{}").has_value());
  EXPECT_FALSE(ReadPrioritizeAnswer(R"([{"Host": "n1", "Score": 1.5}])").has_value());
}

TEST(PreemptAnswer, NamesVictimsByTheirUids) {
  const auto answer = ReadPreemptAnswer(R"({"NodeNameToMetaVictims": {
    "n1": {"Pods": [{"UID": "u1"}, {"uid": "u2"}], "NumPDBViolations": 1},
    "n2": {"Pods": null},
    "n3": null}})");
  ASSERT_TRUE(answer.has_value()) << answer.error().message;
  ASSERT_EQ(answer->candidates.size(), 3u);
  EXPECT_EQ(answer->candidates.at("n1").victim_uids, (Names{"u1", "u2"}));
  EXPECT_EQ(answer->candidates.at("n1").budget_violations, 1);
  EXPECT_TRUE(answer->candidates.at("n2").victim_uids.empty());
  EXPECT_TRUE(ReadPreemptAnswer("{}")->candidates.empty());
}

TEST(BindAnswer, IsAnErrorOrNothing) {
  EXPECT_EQ(ReadBindAnswer(R"({"Error": "no room"})")->error, "no room");
  EXPECT_EQ(ReadBindAnswer(R"({"Error": ""})")->error, "");
  EXPECT_EQ(ReadBindAnswer("{}")->error, "");
  EXPECT_EQ(ReadBindAnswer("").error().message, "EOF");
}

TEST(FindStranger, KnowsTheNodesInAnyOrder) {
  const std::vector<api::NodePtr> nodes = NodesNamed({"a", "b", "c", "d"});
  for (const Names& known : {Names{}, Names{"a", "b", "c", "d"}, Names{"b", "d"}, Names{"d", "a"}, Names{"b", "b"}}) {
    EXPECT_EQ(FindStranger(known, nodes), nullptr);
  }
  const Names last = {"a", "d", "e"};
  EXPECT_EQ(FindStranger(last, nodes), &last[2]);
  const Names first = {"", "a"};
  EXPECT_EQ(FindStranger(first, nodes), &first[0]);
  const Names middle = {"d", "x", "a", "y"};
  EXPECT_EQ(FindStranger(middle, nodes), &middle[1]);
}

}  // namespace
}  // namespace berth::extender
