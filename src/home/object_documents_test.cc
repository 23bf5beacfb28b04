// SPDX-License-Identifier: Apache-2.0
#include "home/object_documents.h"

#include <gtest/gtest.h>

namespace berth::home {
namespace {

constexpr Timestamp kNow{std::chrono::seconds(1'800'000'000) + std::chrono::microseconds(42)};

api::PodPtr Pod(const std::string& name) {
  api::Pod pod;
  pod.meta.namespace_ = "default";
  pod.meta.name = name;
  pod.meta.uid = "uid-" + name;
  return std::make_shared<const api::Pod>(std::move(pod));
}

TEST(EventDocument, IsWhatAnApiServerAccepts) {
  const EventNote note{Pod("victim"), Pod("preemptor"),   "Normal", "Preempted",
                       "Preempting",  "Preempted by pod", "sched",  kNow};
  const std::string document = EventDocument(note, "victim.1", "host-1");
  EXPECT_NE(document.find(R"("eventTime":"2027-01-15T08:00:00.000042Z")"), std::string::npos) << document;
  EXPECT_NE(document.find(R"("reportingController":"sched","reportingInstance":"sched-host-1")"), std::string::npos);
  EXPECT_NE(document.find(R"("regarding":{"kind":"Pod","namespace":"default","name":"victim","uid":"uid-victim")"),
            std::string::npos);
  EXPECT_NE(document.find(R"("related":{"kind":"Pod","namespace":"default","name":"preemptor","uid":"uid-preemptor")"),
            std::string::npos);
}

TEST(MergePatch, FollowsRfc7386) {
  struct Case {
    const char* document;
    const char* patch;
    const char* merged;
  };
  for (const Case& c : {Case{R"({"a":"b"})", R"({"a":"c"})", R"({"a":"c"})"},
                        Case{R"({"a":"b","b":"c"})", R"({"a":null})", R"({"b":"c"})"},
                        Case{R"({"a":["b"]})", R"({"a":"c"})", R"({"a":"c"})"},
                        Case{R"({"a":{"b":"c"}})", R"({"a":{"b":"d","c":null}})", R"({"a":{"b":"d"}})"},
                        Case{R"({"e":1})", R"({"a":{"bb":{"ccc":null}}})", R"({"e":1,"a":{"bb":{}}})"}}) {
    EXPECT_EQ(ApplyMergePatch(c.document, "it", c.patch).value(), c.merged) << c.patch;
  }
  EXPECT_FALSE(ApplyMergePatch("[]", "it", "{}"));
  EXPECT_FALSE(ApplyMergePatch("{}", "it", "[1"));
}

TEST(StatusPatch, ChangesNothingWhenEverythingIsSaidAlready) {
  PatchPodStatus patch{Pod("p"), ConditionPatch{{"PodScheduled", "False", "Unschedulable", "no room"}, 3}, "n"};
  const std::string patched = **ApplyStatusPatch(R"({"kind":"Pod"})", "it", patch, kNow);
  EXPECT_NE(patched.find(R"("observedGeneration":3)"), std::string::npos);
  EXPECT_NE(patched.find(R"("nominatedNodeName":"n")"), std::string::npos);
  EXPECT_FALSE(ApplyStatusPatch(patched, "it", patch, kNow)->has_value());
  patch.nominated_node = "";
  EXPECT_EQ((**ApplyStatusPatch(patched, "it", patch, kNow)).find("nominatedNodeName"), std::string::npos);
}

}  // namespace
}  // namespace berth::home
