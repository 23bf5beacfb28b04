// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/envelope.h"

#include "api/document.h"
#include "kube/proto/pod_spec.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube::proto {
namespace {

std::string Part(unsigned field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3U | 2U), static_cast<char>(bytes.size())} + bytes;
}
const std::string& Magic() {
  static const std::string kBytes("k8s\0", 4);
  return kBytes;
}
std::string Enveloped(const std::string& api_version, const std::string& kind, const std::string& message) {
  return Magic() + Part(1, Part(1, api_version) + Part(2, kind)) + Part(2, message) + Part(3, "") + Part(4, "");
}
std::string ProblemOf(const std::string& bytes) {
  const Result<api::Value> document = ReadObject(bytes);
  return document ? "none" : document.error().message;
}

TEST(EnvelopeTest, HoldsTypeAndMessage) {
  const std::string bytes = Enveloped("apps/v1", "ReplicaSet", "message") + Part(9, "later");
  const Result<Envelope> envelope = OpenEnvelope(bytes);
  ASSERT_TRUE(envelope.has_value()) << envelope.error().message;
  EXPECT_EQ(envelope->api_version, "apps/v1");
  EXPECT_EQ(envelope->kind, "ReplicaSet");
  EXPECT_EQ(envelope->message, "message");
  EXPECT_TRUE(OpenEnvelope(Enveloped("v1", "Pod", "") + Part(4, std::string(kContentType))).has_value());
}

TEST(EnvelopeTest, ObjectsHaveApiVersionAndKind) {
  const Result<api::Value> pod = ReadObject(Enveloped("v1", "Pod", Part(1, Part(1, "a"))));
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ(api::ToJson(*pod), R"({"metadata":{"name":"a"},"apiVersion":"v1","kind":"Pod"})");
  const Result<api::Value> status = ReadObject(Enveloped("v1", "Status", Part(3, "gone")));
  ASSERT_TRUE(status.has_value()) << status.error().message;
  EXPECT_EQ(api::ToJson(*status), R"({"message":"gone","apiVersion":"v1","kind":"Status"})");
}

TEST(EnvelopeTest, SaysWhatIsWrong) {
  EXPECT_EQ(ProblemOf(""), "not protobuf of Kubernetes: the four magic bytes are missing");
  EXPECT_EQ(ProblemOf("{}"), "not protobuf of Kubernetes: the four magic bytes are missing");
  EXPECT_EQ(ProblemOf(Enveloped("v1", "Secret", "")), "Secret of v1 is not read from protobuf");
  EXPECT_EQ(ProblemOf(Enveloped("serving.knative.dev/v1", "Service", "")),
            "Service of serving.knative.dev/v1 is not read from protobuf");
  EXPECT_EQ(ProblemOf(Enveloped("v1", "Pod", "x")), "Pod at byte 0: the bytes end in a field");
  EXPECT_EQ(ProblemOf(Magic() + Part(1, Part(1, "v1") + Part(2, "Pod"))), "Unknown: the envelope holds no message");
  EXPECT_EQ(ProblemOf(Magic() + Part(3, "gzip")), "content of the encoding \"gzip\"");
  EXPECT_EQ(ProblemOf(Magic() + Part(4, "application/json")),
            "content of the type \"application/json\" in an envelope of protobuf");
  EXPECT_EQ(ProblemOf(Magic() + Part(2, "a") + Part(2, "b")), "Unknown.raw is there twice");
  EXPECT_EQ(ProblemOf(Magic() + "\x08\x01"), "Unknown.typeMeta is not a string or a message");
  EXPECT_EQ(ProblemOf(Magic() + Part(1, "a") + "\x12\x09"), "Unknown at byte 3: the bytes end in a field");
}

TEST(EnvelopeTest, WatchEventsNeedAType) {
  const std::string frame = Part(1, "ADDED") + Part(2, Part(1, "object"));
  const Result<WatchEvent> event = ReadWatchEvent(frame);
  ASSERT_TRUE(event.has_value()) << event.error().message;
  EXPECT_EQ(event->type, "ADDED");
  EXPECT_EQ(event->object, "object");
  EXPECT_EQ(ReadWatchEvent("").error().message, "WatchEvent: a type is required");
  EXPECT_EQ(ReadWatchEvent(frame.substr(0, frame.size() - 1)).error().message,
            "WatchEvent at byte 7: the bytes end in a field");
}

TEST(EnvelopeTest, ListsEndAtTheFirstErrorOfTheCaller) {
  const std::string list = Part(1, Part(2, "7")) + Part(2, "a") + Part(2, "b") + Part(2, "c");
  std::vector<std::string> items;
  const Result<ListMeta> meta = ReadList(list, [&](std::string_view item) -> Result<void> {
    items.emplace_back(item);
    return item == "b" ? Result<void>(InvalidError("no")) : Result<void>();
  });
  EXPECT_EQ(meta.error().message, "no");
  EXPECT_EQ(items, (std::vector<std::string>{"a", "b"}));
  EXPECT_FALSE(ReadList("\x10\x01", [](std::string_view) { return Result<void>(); }).has_value());
}

TEST(PodSpecBytesTest, PodsOfOneTemplateDifferInTheNodeOnly) {
  const auto pod = [](const std::string& node) {
    return Part(1, Part(1, "name")) + Part(2, Part(2, "container") + node + Part(11, "later")) + Part(3, "");
  };
  const std::string here = pod(Part(10, "here"));
  const std::string nowhere = pod(Part(10, ""));
  const std::string unset = pod("");
  const Result<PodSpecBytes> first = FindPodSpec(here);
  const Result<PodSpecBytes> second = FindPodSpec(nowhere);
  const Result<PodSpecBytes> third = FindPodSpec(unset);
  EXPECT_EQ(first->node_name, "here");
  EXPECT_EQ(second->node_name, "");
  EXPECT_EQ(first->before, second->before);
  EXPECT_EQ(first->after, second->after);
  EXPECT_EQ(third->before, third->whole);
  EXPECT_EQ(third->after, "");
  EXPECT_TRUE(FindPodSpec("")->whole.empty());
  EXPECT_FALSE(FindPodSpec(here.substr(0, here.size() - 4)).has_value());
}

}  // namespace
}  // namespace berth::kube::proto
