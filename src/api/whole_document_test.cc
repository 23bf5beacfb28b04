// SPDX-License-Identifier: Apache-2.0
#include "api/whole_document.h"

#include "api/document.h"
#include "api/object.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

template <typename T>
std::shared_ptr<T> ReadObject(std::string_view text) {
  DecodeErrors errors;
  auto object = std::make_shared<T>(Decode<T>(ReadDocuments(text, "f").value().front().root, errors));
  EXPECT_TRUE(errors.empty()) << errors.Text("f");
  return object;
}

TEST(WholeDocument, IsWhatTheHomeKept) {
  auto pod = ReadObject<Pod>(R"({"metadata": {"name": "a"}, "spec": {"containers": []}})");
  pod->document = std::make_shared<const std::string>(R"({"metadata":{"name":"a"},"spec":{"hostname":"h"}})");
  EXPECT_EQ(WholeDocument(PodPtr(pod)), pod->document);
}

TEST(WholeDocument, IsOtherwiseWhatWasReadOfTheObject) {
  const PodPtr pod = ReadObject<Pod>(R"({"metadata": {"name": "a", "namespace": "b", "uid": "c"},
                                          "spec": {"containers": [], "hostname": "not read"}})");
  const std::string text = *WholeDocument(pod);
  EXPECT_TRUE(
      text.starts_with(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"b","uid":"c"},"spec":{)"))
      << text;
  const NodePtr node = ReadObject<Node>(R"({"metadata": {"name": "n"}, "spec": {"unschedulable": true}})");
  EXPECT_EQ(*WholeDocument(node), R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"},)"
                                  R"("spec":{"unschedulable":true},"status":{"allocatable":{}}})");
}

TEST(TextToKeep, IsTheWholeDocumentWithoutManagedFields) {
  const auto kept = [](std::string_view text) { return *TextToKeep(ReadDocuments(text, "f").value().front().root); };
  EXPECT_EQ(kept(R"({"kind": "Pod", "metadata": {"name": "a\"b", "managedFields": [{"manager": "m"}], "uid": "u"},
                     "spec": {"x": [1.50, true, null], "managedFields": {}}})"),
            R"({"kind":"Pod","metadata":{"name":"a\"b","uid":"u"},"spec":{"x":[1.50,true,null],"managedFields":{}}})");
  EXPECT_EQ(kept(R"({"metadata": {"managedFields": []}, "managedFields": 1})"), R"({"metadata":{},"managedFields":1})");
  EXPECT_EQ(kept(R"({"metadata": null})"), R"({"metadata":null})");
  EXPECT_EQ(kept("{}"), "{}");
}

TEST(KeptDocuments, TellPodsApartByTheirNode) {
  Pod waiting;
  Pod placed;
  placed.node_name = "n";
  const KeptDocuments of_waiting = {.waiting_pods = true};
  EXPECT_TRUE(of_waiting.Of(waiting));
  EXPECT_FALSE(of_waiting.Of(placed));
  EXPECT_TRUE(of_waiting.OfSome("Pod"));
  EXPECT_FALSE(of_waiting.OfSome("Node"));
  const KeptDocuments of_placed = {.placed_pods = true};
  EXPECT_FALSE(of_placed.Of(waiting));
  EXPECT_TRUE(of_placed.Of(placed));
  EXPECT_TRUE(of_placed.OfSome("Pod"));
  const KeptDocuments of_nodes = {.nodes = true};
  EXPECT_TRUE(of_nodes.OfSome("Node"));
  EXPECT_FALSE(of_nodes.OfSome("Pod"));
  EXPECT_FALSE(of_nodes.OfSome("Service"));
}

}  // namespace
}  // namespace berth::api
