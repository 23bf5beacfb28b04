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

}  // namespace
}  // namespace berth::api
