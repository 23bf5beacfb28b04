// SPDX-License-Identifier: Apache-2.0
#include "kube/home/object_decoder.h"

#include "api/document.h"
#include "api/encode.h"
#include "kube/proto/envelope.h"
#include "kube/proto/test_fixtures.h"
#include "kube/proto/test_messages.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using test::TestObject;

api::Value Document(const std::string& json) { return api::ReadDocuments(json, "test")->front().root; }

std::string Text(const api::Object& object) { return api::ToJson(api::Encode(object), 1); }

// Reads pods in one of both forms.
struct Form {
  std::string name;
  api::PodPtr (*read)(ObjectDecoder& decoder, const TestObject& pod);
};
const std::vector<Form>& Forms() {
  static const std::vector<Form> kForms = {
      {"protobuf",
       [](ObjectDecoder& decoder, const TestObject& pod) {
         return std::get<api::PodPtr>(*decoder.ReadMessage(test::PodMessage(pod)));
       }},
      {"JSON",
       [](ObjectDecoder& decoder, const TestObject& pod) {
         return std::get<api::PodPtr>(*decoder.ReadDocument(Document(test::PodJson(pod))));
       }},
  };
  return kForms;
}

TEST(ObjectDecoderTest, PodsOfOneTemplateShareTheirSpec) {
  for (const Form& form : Forms()) {
    ObjectDecoder decoder("Pod");
    const api::PodPtr first = form.read(decoder, {.name = "a", .uid = "1", .version = "1"});
    const api::PodPtr second = form.read(decoder, {.name = "b", .uid = "2", .version = "2"});
    const api::PodPtr other = form.read(decoder, {.name = "c", .uid = "3", .version = "3", .image = "app:2"});
    EXPECT_EQ(first->spec, second->spec) << form.name;
    EXPECT_NE(first->spec, other->spec) << form.name;
    EXPECT_EQ(first->spec->containers.front().image, "app:1");
    EXPECT_EQ(other->spec->containers.front().image, "app:2");
    EXPECT_EQ(first->meta.name, "a");
    EXPECT_EQ(second->meta.name, "b");
    EXPECT_EQ(second->meta.uid, "2");
  }
}

TEST(ObjectDecoderTest, PodsThatDifferOnlyInTheirNodeShareTheirSpec) {
  for (const Form& form : Forms()) {
    ObjectDecoder decoder("Pod");
    std::set<std::shared_ptr<const api::PodSpec>> specs;
    std::vector<api::PodPtr> pods;
    for (const std::string node : {"", "n1", "node-with-a-longer-name", "n1"}) {
      pods.push_back(form.read(decoder, {.name = "p" + node, .node = node}));
      EXPECT_EQ(pods.back()->node_name, node) << form.name;
      specs.insert(pods.back()->spec);
    }
    EXPECT_EQ(specs.size(), 1u) << form.name;
  }
}

TEST(ObjectDecoderTest, EqualStatusesAndLabelsAreShared) {
  for (const Form& form : Forms()) {
    ObjectDecoder decoder("Pod");
    const api::PodPtr first = form.read(decoder, {.name = "a"});
    const api::PodPtr second = form.read(decoder, {.name = "b"});
    const api::PodPtr runs = form.read(decoder, {.name = "c", .phase = "Running"});
    EXPECT_EQ(first->status, second->status) << form.name;
    EXPECT_NE(first->status, runs->status) << form.name;
    EXPECT_EQ(runs->status->phase, "Running");
  }
}

TEST(ObjectDecoderTest, ASpecGoesWithItsLastPod) {
  for (const Form& form : Forms()) {
    ObjectDecoder decoder("Pod");
    std::weak_ptr<const api::PodSpec> spec = form.read(decoder, {.name = "a"})->spec;
    EXPECT_TRUE(spec.expired()) << form.name;
    EXPECT_EQ(form.read(decoder, {.name = "b"})->spec->containers.size(), 1u) << "it is read anew";
  }
}

TEST(ObjectDecoderTest, BothFormsGiveEqualObjects) {
  size_t pods = 0;
  for (const proto::Fixture& fixture : proto::ReadFixtures("object")) {
    const std::string kind = fixture.json.Find("kind")->text();
    if (kind == "Status") continue;
    ObjectDecoder decoder(kind);
    const std::string_view message = proto::OpenEnvelope(fixture.proto)->message;
    const Result<api::Object> by_message = decoder.ReadMessage(message);
    const Result<api::Object> by_document = ObjectDecoder(kind).ReadDocument(fixture.json);
    ASSERT_EQ(by_message.has_value(), by_document.has_value()) << fixture.name;
    if (!by_message) continue;
    ASSERT_EQ(Text(*by_message), Text(*by_document)) << fixture.name;
    if (kind != "Pod") continue;
    ++pods;
    // The second time its spec is known and not read at all.
    const Result<api::Object> again = decoder.ReadMessage(message);
    ASSERT_TRUE(again.has_value()) << again.error().message;
    ASSERT_EQ(Text(*again), Text(*by_document)) << fixture.name;
    ASSERT_EQ(std::get<api::PodPtr>(*again)->spec, std::get<api::PodPtr>(*by_message)->spec) << fixture.name;
  }
  EXPECT_GT(pods, 0u);
}

TEST(ObjectDecoderTest, OfManyPodsNoneTakesTheSpecOfAnother) {
  ObjectDecoder decoder("Pod");
  std::vector<api::Object> kept;  // so that the specs stay known
  for (const proto::Fixture& fixture : proto::ReadFixtures("object")) {
    if (fixture.json.Find("kind")->text() != "Pod") continue;
    const Result<api::Object> by_message = decoder.ReadMessage(proto::OpenEnvelope(fixture.proto)->message);
    const Result<api::Object> alone = ObjectDecoder("Pod").ReadDocument(fixture.json);
    if (!by_message || !alone) continue;
    ASSERT_EQ(Text(*by_message), Text(*alone)) << fixture.name;
    kept.push_back(*by_message);
  }
}

// The text kept of a pod or a node; none: "".
std::string KeptText(api::KeptDocuments keep_documents, const std::string& kind, const std::string& json) {
  ObjectDecoder decoder(kind, keep_documents);
  const api::Object object = decoder.ReadDocument(Document(json)).value();
  const auto* pod = std::get_if<api::PodPtr>(&object);
  const auto& text = pod != nullptr ? (*pod)->document : std::get<api::NodePtr>(object)->document;
  return text == nullptr ? "" : *text;
}

TEST(ObjectDecoderTest, DocumentsAreKeptOfThoseThatWereAskedFor) {
  const std::string waiting = R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"hostname":"h","containers":[]}})";
  const std::string placed = R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"nodeName":"n","containers":[]}})";
  const std::string node = R"({"kind":"Node","metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24"}})";
  EXPECT_EQ(KeptText({}, "Pod", waiting), "");
  EXPECT_EQ(KeptText({}, "Node", node), "");
  EXPECT_EQ(KeptText({.nodes = true}, "Pod", waiting), "");
  EXPECT_EQ(KeptText({.nodes = true}, "Node", node), node);
  EXPECT_EQ(KeptText({.waiting_pods = true}, "Pod", waiting), waiting);
  EXPECT_EQ(KeptText({.waiting_pods = true}, "Pod", placed), "");
  EXPECT_EQ(KeptText({.placed_pods = true}, "Pod", waiting), "");
  EXPECT_EQ(KeptText({.placed_pods = true}, "Pod", placed), placed);
  EXPECT_EQ(KeptText({.nodes = true}, "Node", R"({"metadata":{"managedFields":[{"manager":"m"}],"name":"n"}})"),
            R"({"metadata":{"name":"n"}})");
  EXPECT_FALSE(ObjectDecoder("Node", {.nodes = true}).ReadDocument(Document(R"({"spec":7})")).has_value());
}

TEST(ObjectDecoderTest, CustomObjectsAreReadFromJson) {
  ObjectDecoder decoder("Tenant.example.com");
  const Result<api::Object> tenant = decoder.ReadDocument(Document(
      R"({"apiVersion":"example.com/v1","kind":"Tenant","metadata":{"name":"t","namespace":"ns","uid":"u"},"spec":{"a":1}})"));
  ASSERT_TRUE(tenant.has_value()) << tenant.error().message;
  EXPECT_EQ(api::KindOf(*tenant), "Tenant.example.com");
  EXPECT_EQ(api::MetaOf(*tenant).uid, "u");
  const Result<api::Object> by_message = decoder.ReadMessage("");
  ASSERT_FALSE(by_message.has_value());
  EXPECT_EQ(by_message.error().message, "Tenant.example.com is not read from protobuf");
}

TEST(ObjectDecoderTest, SaysWhatCannotBeRead) {
  const std::vector<std::string> documents = {
      "7",
      "[]",
      R"({"kind":"Pod","metadata":7})",
      R"({"kind":"Pod","metadata":{"name":"a"},"spec":7})",
      R"({"kind":"Pod","metadata":{"name":"a"},"spec":{},"status":[]})",
      R"({"kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{"resources":{"requests":{"cpu":"much"}}}]}})",
  };
  for (const std::string& document : documents) {
    EXPECT_FALSE(ObjectDecoder("Pod").ReadDocument(Document(document)).has_value()) << document;
  }
  for (const std::string& message : {std::string("x"), test::Part(2, "x"), test::Part(1, "x")}) {
    EXPECT_FALSE(ObjectDecoder("Pod").ReadMessage(message).has_value());
    EXPECT_FALSE(ObjectDecoder("Node").ReadMessage("x" + message).has_value());
  }
}

TEST(ObjectDecoderTest, APodWithoutSpecOrStatusIsReadAsAnEmptyOne) {
  for (const char* document : {R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a"},"spec":null})",
                               R"({"metadata":{"name":"a"},"spec":{},"status":null})"}) {
    const Result<api::Object> pod = ObjectDecoder("Pod").ReadDocument(Document(document));
    ASSERT_TRUE(pod.has_value()) << document << ": " << pod.error().message;
    EXPECT_NE(std::get<api::PodPtr>(*pod)->spec, nullptr);
    EXPECT_NE(std::get<api::PodPtr>(*pod)->status, nullptr);
  }
  const Result<api::Object> empty = ObjectDecoder("Pod").ReadMessage(test::Part(1, test::Part(1, "a")));
  ASSERT_TRUE(empty.has_value()) << empty.error().message;
  EXPECT_NE(std::get<api::PodPtr>(*empty)->spec, nullptr);
}

}  // namespace
}  // namespace berth::kube
