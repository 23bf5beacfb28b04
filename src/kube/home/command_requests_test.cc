// SPDX-License-Identifier: Apache-2.0
#include "kube/home/command_requests.h"

#include "kube/proto/envelope.h"
#include "kube/proto/test_messages.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using test::Part;

constexpr Timestamp kNow = Timestamp(seconds(1'780'000'000));  // 2026-05-28T20:26:40Z
constexpr const char* kMetadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
constexpr const char* kEitherForm = "application/vnd.kubernetes.protobuf,application/json";

api::PodPtr Pod(std::vector<api::Condition> conditions = {}) {
  api::Pod pod;
  pod.meta.namespace_ = "shop";
  pod.meta.name = "web-1";
  pod.meta.uid = "uid-1";
  pod.meta.resource_version = "42";
  auto status = std::make_shared<api::PodStatus>();
  status->conditions = std::move(conditions);
  pod.status = std::move(status);
  return std::make_shared<const api::Pod>(std::move(pod));
}

api::NodePtr Node(const std::string& name) {
  api::Node node;
  node.meta.name = name;
  return std::make_shared<const api::Node>(std::move(node));
}

TEST(BindRequestTest, SaysWhichPodGoesToWhichNode) {
  const ApiRequest request = BindRequest({Pod(), Node("n1")});
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/api/v1/namespaces/shop/pods/web-1/binding");
  EXPECT_EQ(request.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(request.accept, kEitherForm);
  const std::string binding =
      Part(1, Part(1, "web-1") + Part(3, "shop") + Part(5, "uid-1")) + Part(2, Part(1, "Node") + Part(3, "n1"));
  EXPECT_EQ(request.body, std::string(proto::kMagic) + Part(1, Part(1, "v1") + Part(2, "Binding")) + Part(2, binding));
}

TEST(BindRequestTest, NamesAreEscapedInPaths) {
  api::Pod pod = *Pod();
  pod.meta.name = "a/b";
  EXPECT_EQ(BindRequest({std::make_shared<const api::Pod>(pod), Node("n")}).path,
            "/api/v1/namespaces/shop/pods/a%2Fb/binding");
}

TEST(StatusRequestTest, SaysOnlyWhatChanges) {
  const api::Condition wanted = {"PodScheduled", "False", "Unschedulable", "0/3 nodes are available"};
  struct Case {
    std::string what;
    home::PatchPodStatus patch;
    std::string status;  // in the body
  };
  const std::string stamped =
      R"({"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
      R"("conditions":[{"type":"PodScheduled","status":"False","lastProbeTime":null,)"
      R"("lastTransitionTime":"2026-05-28T20:26:40Z","reason":"Unschedulable","message":"0/3 nodes are available"}]})";
  const std::vector<Case> cases = {
      {"a condition that the pod does not have", {Pod(), home::ConditionPatch{wanted}, {}}, stamped},
      {"a condition with another status",
       {Pod({{"PodScheduled", "True", "", ""}}), home::ConditionPatch{wanted}, {}},
       stamped},
      {"a condition with the same status keeps its time",
       {Pod({{"PodScheduled", "False", "SchedulerError", "old"}}), home::ConditionPatch{wanted}, {}},
       R"({"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
       R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable",)"
       R"("message":"0/3 nodes are available"}]})"},
      {"a condition of a certain generation",
       {Pod({{"PodScheduled", "False", "", ""}}), home::ConditionPatch{wanted, 3}, {}},
       R"({"$setElementOrder/conditions":[{"type":"PodScheduled"}],)"
       R"("conditions":[{"type":"PodScheduled","observedGeneration":3,"status":"False","reason":"Unschedulable",)"
       R"("message":"0/3 nodes are available"}]})"},
      {"what a condition does not say any more is removed",
       {Pod({{"Ready", "True", "", ""}}), home::ConditionPatch{{"Ready", "True", "", ""}}, {}},
       R"({"$setElementOrder/conditions":[{"type":"Ready"}],)"
       R"("conditions":[{"type":"Ready","status":"True","reason":null,"message":null}]})"},
      {"a condition beside others is the last",
       {Pod({{"Ready", "True", "", ""}, {"Initialized", "True", "", ""}}), home::ConditionPatch{wanted}, {}},
       R"({"$setElementOrder/conditions":[{"type":"Ready"},{"type":"Initialized"},{"type":"PodScheduled"}],)" +
           stamped.substr(stamped.find("\"conditions\":["))},
      {"a nomination", {Pod(), {}, "n1"}, R"({"nominatedNodeName":"n1"})"},
      {"no nomination any more", {Pod(), {}, ""}, R"({"nominatedNodeName":null})"},
      {"nothing", {Pod(), {}, {}}, "{}"},
      {"both",
       {Pod({{"Ready", "True", "", ""}}), home::ConditionPatch{{"Ready", "True", "r", "m"}}, "n\"1"},
       R"({"$setElementOrder/conditions":[{"type":"Ready"}],)"
       R"("conditions":[{"type":"Ready","status":"True","reason":"r","message":"m"}],"nominatedNodeName":"n\"1"})"},
  };
  for (const Case& each : cases) {
    const ApiRequest request = StatusRequest(each.patch, kNow);
    EXPECT_EQ(request.method, "PATCH");
    EXPECT_EQ(request.path, "/api/v1/namespaces/shop/pods/web-1/status");
    EXPECT_EQ(request.content_type, "application/strategic-merge-patch+json");
    EXPECT_EQ(request.accept, kMetadata);
    EXPECT_EQ(request.body, R"({"metadata":{"uid":"uid-1"},"status":)" + each.status + "}") << each.what;
  }
}

TEST(DeleteRequestTest, DeletesOnlyThePodOfThatUid) {
  const ApiRequest request = DeleteRequest(*Pod());
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(request.path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.accept, kMetadata);
  EXPECT_EQ(request.body, R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"uid-1"}})");
}

TEST(PatchRequestTest, AddsWhatTheObjectMustBe) {
  struct Case {
    home::PatchObject patch;
    std::string path;
    std::string body;
  };
  const std::vector<Case> cases = {
      {{{"PersistentVolumeClaim", "shop", "data"}, "", "", R"({"metadata":{"annotations":{"a":"b"}}})"},
       "/api/v1/namespaces/shop/persistentvolumeclaims/data",
       R"({"metadata":{"annotations":{"a":"b"}}})"},
      {{{"PersistentVolumeClaim", "shop", "data"}, "uid-1", "7", R"({"metadata":{"annotations":{"a":"b"}}})"},
       "/api/v1/namespaces/shop/persistentvolumeclaims/data",
       R"({"metadata":{"annotations":{"a":"b"},"uid":"uid-1","resourceVersion":"7"}})"},
      {{{"PersistentVolume", "", "pv"}, "", "7", R"({"spec":{"claimRef":null}})"},
       "/api/v1/persistentvolumes/pv",
       R"({"spec":{"claimRef":null},"metadata":{"resourceVersion":"7"}})"},
      {{{"Pod", "shop", "web"}, "uid-1", "", "{}"},
       "/api/v1/namespaces/shop/pods/web",
       R"({"metadata":{"uid":"uid-1"}})"},
  };
  for (const Case& each : cases) {
    const Result<ApiRequest> request = PatchRequest(each.patch);
    ASSERT_TRUE(request.has_value()) << request.error().message;
    EXPECT_EQ(request->method, "PATCH");
    EXPECT_EQ(request->path, each.path);
    EXPECT_EQ(request->content_type, "application/merge-patch+json");
    EXPECT_EQ(request->accept, kMetadata);
    EXPECT_EQ(request->body, each.body);
  }
}

TEST(PatchRequestTest, SaysWhatCannotBePatched) {
  const std::vector<home::PatchObject> cases = {
      {{"Tenant.example.com", "shop", "t"}, "", "", "{}"},
      {{"Pod", "shop", "web"}, "", "", "{"},
      {{"Pod", "shop", "web"}, "", "", "[]"},
      {{"Pod", "shop", "web"}, "", "", ""},
      {{"Pod", "shop", "web"}, "", "", "7"},
      {{"Pod", "shop", "web"}, "uid", "", R"({"metadata":7})"},
  };
  for (const home::PatchObject& patch : cases) {
    EXPECT_FALSE(PatchRequest(patch).has_value()) << patch.object.kind << " " << patch.merge_patch;
  }
}

TEST(LookUpRequestTest, AsksForThePod) {
  const ApiRequest request = LookUpRequest({Pod()});
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.path, "/api/v1/namespaces/shop/pods/web-1");
  EXPECT_EQ(request.accept, kEitherForm);
  EXPECT_EQ(request.body, "");
}

ApiResponse Answered(std::string body, std::string content_type) {
  ApiResponse response;
  response.head = {200, {{"content-type", std::move(content_type)}}};
  response.body = std::move(body);
  return response;
}

TEST(LookUpRequestTest, TheAnswerNamesUidAndNode) {
  for (const std::string node : {"", "n1"}) {
    const test::TestObject pod = {.name = "web-1", .uid = "uid-1", .node = node};
    const std::vector<ApiResponse> answers = {
        Answered(test::PodJson(pod), "application/json"),
        Answered(test::Enveloped("v1", "Pod", test::PodMessage(pod)), std::string(proto::kContentType))};
    for (const ApiResponse& answer : answers) {
      const Result<FoundPod> found = ReadFoundPod(answer);
      ASSERT_TRUE(found.has_value()) << found.error().message;
      EXPECT_EQ(found->uid, "uid-1");
      EXPECT_EQ(found->node, node);
    }
  }
}

TEST(LookUpRequestTest, AnAnswerThatIsNoPodIsAnError) {
  const std::string proto_type(proto::kContentType);
  const std::vector<ApiResponse> answers = {
      Answered("", "application/json"),
      Answered("{", "application/json"),
      Answered("{}{}", "application/json"),
      Answered("{}", "application/json"),
      Answered("<html>welcome</html>", "application/json"),
      Answered(R"({"metadata":{"name":"web-1"}})", "application/json"),
      Answered("", proto_type),
      Answered("{}", proto_type),
      Answered(test::Enveloped("v1", "Pod", ""), proto_type),
      Answered(test::Enveloped("v1", "Pod", "x"), proto_type),
      Answered(test::Enveloped("v1", "Pod", Part(2, "x")), proto_type),
  };
  for (const ApiResponse& answer : answers) EXPECT_FALSE(ReadFoundPod(answer).has_value()) << answer.body;
}

home::EventNote Note() {
  home::EventNote note;
  note.about = Pod();
  note.type = "Normal";
  note.reason = "Scheduled";
  note.action = "Binding";
  note.note = "Successfully assigned shop/web-1 to n1";
  note.controller = "default-scheduler";
  note.time = kNow + microseconds(5) + Duration(999);
  return note;
}

// A MicroTime.
std::string Time(uint64_t of_second) { return Part(1, uint64_t{1'780'000'000}) + Part(2, of_second); }

std::string Reference(const std::string& name, const std::string& uid, const std::string& version) {
  return Part(1, "Pod") + Part(2, "shop") + Part(3, name) + Part(4, uid) + Part(5, "v1") + Part(6, version);
}

std::string Event(const std::string& message) {
  return std::string(proto::kMagic) + Part(1, Part(1, "events.k8s.io/v1") + Part(2, "Event")) + Part(2, message);
}

TEST(EventRequestTest, TellsWhatHappened) {
  const EventWrite write = {EventWrite::Type::Create, "shop", "web-1.17", 0, {}};
  const ApiRequest request = EventRequest(Note(), write, "default-scheduler-host");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/apis/events.k8s.io/v1/namespaces/shop/events");
  EXPECT_EQ(request.content_type, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(request.accept, kEitherForm);
  EXPECT_EQ(request.body, Event(Part(1, Part(1, "web-1.17") + Part(3, "shop")) + Part(2, Time(5'000)) +
                                Part(4, "default-scheduler") + Part(5, "default-scheduler-host") + Part(6, "Binding") +
                                Part(7, "Scheduled") + Part(8, Reference("web-1", "uid-1", "42")) +
                                Part(10, "Successfully assigned shop/web-1 to n1") + Part(11, "Normal")));
}

TEST(EventRequestTest, ASeriesThatTheServerForgotIsWrittenWithItsCount) {
  const EventWrite write = {EventWrite::Type::Count, "shop", "web-1.17", 300, kNow + microseconds(7)};
  home::EventNote note = Note();
  api::Pod other = *Pod();
  other.meta.name = "preemptor";
  other.meta.uid = "uid-2";
  other.meta.resource_version = "";
  note.related = std::make_shared<const api::Pod>(other);
  EXPECT_EQ(EventRequest(note, write, "i").body,
            Event(Part(1, Part(1, "web-1.17") + Part(3, "shop")) + Part(2, Time(5'000)) +
                  Part(3, Part(1, uint64_t{300}) + Part(2, Time(7'000))) + Part(4, "default-scheduler") + Part(5, "i") +
                  Part(6, "Binding") + Part(7, "Scheduled") + Part(8, Reference("web-1", "uid-1", "42")) +
                  Part(10, "Successfully assigned shop/web-1 to n1") + Part(11, "Normal")));
}

TEST(EventCountRequestTest, SaysHowOftenAndWhenLast) {
  const ApiRequest request =
      EventCountRequest({EventWrite::Type::Count, "shop", "web-1.17", 3, kNow + microseconds(1'500)});
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.path, "/apis/events.k8s.io/v1/namespaces/shop/events/web-1.17");
  EXPECT_EQ(request.content_type, "application/strategic-merge-patch+json");
  EXPECT_EQ(request.accept, kMetadata);
  EXPECT_EQ(request.body, R"({"series":{"count":3,"lastObservedTime":"2026-05-28T20:26:40.001500Z"}})");
}

TEST(VersionInTest, IsThatOfTheMetadata) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"kind":"PartialObjectMetadata","metadata":{"name":"a","resourceVersion":"77"}})", "77"},
      {R"({"metadata":{}})", ""},
      {"{}", ""},
      {"", ""},
      {"{", ""},
      {"<html>", ""},
  };
  for (const auto& [body, version] : cases) EXPECT_EQ(VersionIn(Answered(body, "application/json")), version) << body;
}

}  // namespace
}  // namespace berth::kube
