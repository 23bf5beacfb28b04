// SPDX-License-Identifier: Apache-2.0
// The texts are what Go's encoding/json makes of upstream's types for the same objects.
#include "extender/questions.h"

#include "extender/test_calls.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::extender {
namespace {

constexpr std::string_view kPod = R"({"metadata":{"name":"p","namespace":"shop","uid":"uid-p"},)"
                                  R"("spec":{"containers":null,"hostname":"not-read"},"status":{}})";
constexpr std::string_view kVictim = R"({"metadata":{"name":"v","namespace":"shop","uid":"uid-v"},)"
                                     R"("spec":{"containers":null,"hostname":"not-read"},"status":{}})";

std::vector<framework::Extender::Candidate> Candidates() {
  return {{"n2", {PodNamed("v")}, 1}, {"n1", {PodNamed("v"), PodNamed("p")}, 0}, {"n3", {}, 0}};
}

TEST(Questions, NameTheNodesToAnExtenderThatKnowsThem) {
  EXPECT_EQ(NodesQuestion(PodNamed("p"), NodesNamed({"n1", "n2"}), true),
            R"({"Pod":)" + std::string(kPod) + R"(,"Nodes":null,"NodeNames":["n1","n2"]})");
  EXPECT_EQ(NodesQuestion(PodNamed("p"), {}, true),
            R"({"Pod":)" + std::string(kPod) + R"(,"Nodes":null,"NodeNames":[]})");
}

TEST(Questions, CarryWholeNodesToOthers) {
  EXPECT_EQ(NodesQuestion(PodNamed("p"), NodesNamed({"n1", "n2"}), false),
            R"({"Pod":)" + std::string(kPod) +
                R"(,"Nodes":{"metadata":{},"items":[)"
                R"({"metadata":{"name":"n1"},"spec":{},"status":{"phase":"not-read"}},)"
                R"({"metadata":{"name":"n2"},"spec":{},"status":{"phase":"not-read"}}]},"NodeNames":null})");
}

TEST(Questions, CarryWholeVictims) {
  EXPECT_EQ(PreemptQuestion(PodNamed("p"), Candidates(), false),
            R"({"Pod":)" + std::string(kPod) + R"(,"NodeNameToVictims":{"n1":{"Pods":[)" + std::string(kVictim) + "," +
                std::string(kPod) + R"(],"NumPDBViolations":0},"n2":{"Pods":[)" + std::string(kVictim) +
                R"(],"NumPDBViolations":1},"n3":{"Pods":[],"NumPDBViolations":0}},"NodeNameToMetaVictims":null})");
}

TEST(Questions, NameVictimsByTheirUidsToAnExtenderThatKnowsThem) {
  EXPECT_EQ(PreemptQuestion(PodNamed("p"), Candidates(), true),
            R"({"Pod":)" + std::string(kPod) +
                R"(,"NodeNameToVictims":null,"NodeNameToMetaVictims":{)"
                R"("n1":{"Pods":[{"UID":"uid-v"},{"UID":"uid-p"}],"NumPDBViolations":0},)"
                R"("n2":{"Pods":[{"UID":"uid-v"}],"NumPDBViolations":1},"n3":{"Pods":[],"NumPDBViolations":0}}})");
}

TEST(Questions, NameThePodToBeBound) {
  EXPECT_EQ(BindQuestion(*PodNamed("p"), "n1"),
            R"({"PodName":"p","PodNamespace":"shop","PodUID":"uid-p","Node":"n1"})");
}

TEST(Questions, StayJsonWhateverNamesHold) {
  EXPECT_EQ(BindQuestion(*PodNamed("p"), "a\"b\\c\nd"),
            R"({"PodName":"p","PodNamespace":"shop","PodUID":"uid-p","Node":"a\u0022b\u005cc\u000ad"})");
}

TEST(Questions, CarryWhatWasReadOfObjectsThatNobodyKeeps) {
  api::Pod pod = *PodNamed("p");
  pod.document = nullptr;
  const std::string question = NodesQuestion(std::make_shared<const api::Pod>(pod), {}, true);
  EXPECT_TRUE(question.starts_with(
      R"({"Pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"shop","uid":"uid-p"},)"))
      << question;
}

}  // namespace
}  // namespace berth::extender
