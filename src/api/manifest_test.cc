// SPDX-License-Identifier: Apache-2.0
#include "api/manifest.h"

#include <cstdio>
#include <fstream>

#include <gtest/gtest.h>

namespace berth::api {
namespace {

Result<Manifests> Load(std::string_view text) {
  Result<std::vector<Document>> documents = ReadDocuments(text, "f");
  EXPECT_TRUE(documents.has_value()) << (documents ? "" : documents.error().message);
  return ParseManifests(*std::move(documents));
}

std::string Names(const Manifests& manifests) {
  std::string names;
  for (const Manifest& manifest : manifests.objects) {
    names += std::string(KindOf(manifest.object)) + ":" + MetaOf(manifest.object).Key() + " ";
  }
  return names;
}

TEST(Manifests, UnfoldsListsAndCountsTheRest) {
  const auto manifests = Load(R"(
kind: List
items:
- {kind: Pod, metadata: {name: a}, x-kept: [1]}
- {kind: ConfigMap, metadata: {name: c}}
---
apiVersion: v1
kind: NodeList
items: [{metadata: {name: n1}}, {kind: Node, metadata: {name: n2}}]
---
{kind: ConfigMapList, items: [{metadata: {name: d}}]}
---
{kind: PodList, items: null}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: k}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: k}}
)");
  ASSERT_TRUE(manifests.has_value()) << manifests.error().message;
  EXPECT_EQ(Names(*manifests), "Pod:default/a Node:n1 Node:n2 ");
  EXPECT_EQ(manifests->ignored, (std::map<std::string, size_t>{{"ConfigMap", 2}, {"Deployment", 1}, {"Service", 1}}));
  EXPECT_EQ(ToJson(manifests->objects[0].document), R"({"kind":"Pod","metadata":{"name":"a"},"x-kept":[1]})");
  EXPECT_EQ(ToJson(manifests->objects[1].document), R"({"metadata":{"name":"n1"},"apiVersion":"v1","kind":"Node"})");
}

TEST(Manifests, IsAllOrNothing) {
  const auto manifests = Load(R"(kind: Pod
metadata: {name: a}
---
kind: Pod
spec: {priority: x}
---
metadata: {name: nobody}
---
- 1
---
kind: Pod
metadata: {name: a, namespace: default}
---
kind: PodList
items: 5
)");
  ASSERT_FALSE(manifests.has_value());
  EXPECT_EQ(manifests.error().message,
            "f:4:1: metadata.name: a name is required\n"
            "f:5:18: spec.priority: expected integer, found string\n"
            "f:7:1: kind: a kind is required\n"
            "f:9:1: expected an object, found list\n"
            "f:11:1: Pod default/a appears twice, first at f:1:1\n"
            "f:15:8: items: expected list, found integer");
}

TEST(Manifests, CapsTheErrors) {
  std::string text;
  for (int i = 0; i < 25; ++i) text += "{\"kind\":\"Pod\"}\n";
  const auto manifests = Load(text);
  ASSERT_FALSE(manifests.has_value());
  EXPECT_TRUE(manifests.error().message.ends_with("\nf:20:1: metadata.name: a name is required\nand 5 more"));
}

TEST(Manifests, ReadsFilesAndNamesAllThatFail) {
  const std::string good = ::testing::TempDir() + "berth_manifest_good.yaml";
  const std::string bad = ::testing::TempDir() + "berth_manifest_bad.yaml";
  std::ofstream(good) << "kind: Node\nmetadata: {name: n1}\n";
  std::ofstream(bad) << "kind: Node\nmetadata: {name: n1\n";
  const std::string paths[] = {good, bad, good, "/nonexistent/x.yaml"};
  const auto one = LoadManifests(std::span(paths, 1));
  ASSERT_TRUE(one.has_value());
  EXPECT_EQ(one->objects[0].source, good);
  const auto all = LoadManifests(paths);
  ASSERT_FALSE(all.has_value());
  const std::string& message = all.error().message;
  EXPECT_NE(message.find(bad + ":"), std::string::npos);
  EXPECT_NE(message.find(good + ":1:1: Node n1 appears twice, first at " + good + ":1:1"), std::string::npos);
  EXPECT_NE(message.find("cannot open /nonexistent/x.yaml"), std::string::npos);
  std::remove(good.c_str());
  std::remove(bad.c_str());
}

}  // namespace
}  // namespace berth::api
