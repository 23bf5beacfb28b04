// SPDX-License-Identifier: Apache-2.0
#include "kube/home/resource.h"

#include "api/kinds.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

TEST(ResourceTest, EveryKindHasItsPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Pod", "/api/v1/namespaces/ns/pods/x"},
      {"Node", "/api/v1/nodes/x"},
      {"Namespace", "/api/v1/namespaces/x"},
      {"Service", "/api/v1/namespaces/ns/services/x"},
      {"ReplicationController", "/api/v1/namespaces/ns/replicationcontrollers/x"},
      {"ReplicaSet", "/apis/apps/v1/namespaces/ns/replicasets/x"},
      {"StatefulSet", "/apis/apps/v1/namespaces/ns/statefulsets/x"},
      {"PodDisruptionBudget", "/apis/policy/v1/namespaces/ns/poddisruptionbudgets/x"},
      {"PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses/x"},
      {"PersistentVolume", "/api/v1/persistentvolumes/x"},
      {"PersistentVolumeClaim", "/api/v1/namespaces/ns/persistentvolumeclaims/x"},
      {"StorageClass", "/apis/storage.k8s.io/v1/storageclasses/x"},
      {"CSINode", "/apis/storage.k8s.io/v1/csinodes/x"},
      {"CSIDriver", "/apis/storage.k8s.io/v1/csidrivers/x"},
      {"CSIStorageCapacity", "/apis/storage.k8s.io/v1/namespaces/ns/csistoragecapacities/x"},
      {"VolumeAttachment", "/apis/storage.k8s.io/v1/volumeattachments/x"},
  };
  EXPECT_EQ(cases.size(), api::kKinds.size());
  for (const auto& [kind, path] : cases) {
    const std::optional<Resource> resource = ResourceOf(kind);
    ASSERT_TRUE(resource.has_value()) << kind;
    EXPECT_EQ(resource->kind, kind);
    EXPECT_EQ(resource->Path("ns", "x"), path);
    EXPECT_TRUE(resource->in_protobuf) << kind;
  }
  EXPECT_FALSE(ResourceOf("Tenant.example.com").has_value());
  EXPECT_FALSE(ResourceOf("").has_value());
}

TEST(ResourceTest, PathsNameAllOrACollectionOrOneObject) {
  const Resource pods = *ResourceOf("Pod");
  EXPECT_EQ(pods.Path(), "/api/v1/pods");
  EXPECT_EQ(pods.Path("default", ""), "/api/v1/namespaces/default/pods");
  EXPECT_EQ(pods.Path("default", "web-1"), "/api/v1/namespaces/default/pods/web-1");
  EXPECT_EQ(pods.Path("a/b", "c?d"), "/api/v1/namespaces/a%2Fb/pods/c%3Fd");
  const Resource nodes = *ResourceOf("Node");
  EXPECT_EQ(nodes.Path(), "/api/v1/nodes");
  EXPECT_EQ(nodes.Path("ignored", "n"), "/api/v1/nodes/n");
}

TEST(ResourceTest, OnlyWhatMayStandInAPathStaysAsItIs) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", ""},
      {"azAZ09-._~", "azAZ09-._~"},
      {"status.phase!=Failed,a=b", "status.phase%21%3DFailed%2Ca%3Db"},
      {"a b+c&d#e%", "a%20b%2Bc%26d%23e%25"},
      {"\xC3\xA9\x01", "%C3%A9%01"},
      {std::string("\0", 1), "%00"},
  };
  for (const auto& [text, escaped] : cases) EXPECT_EQ(Escaped(text), escaped);
}

constexpr const char* kDiscovered = R"({
  "kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "example.com/v1beta1",
  "resources": [
    {"name": "tenants/status", "singularName": "", "namespaced": true, "kind": "Tenant", "verbs": ["get"]},
    {"name": "tenants", "singularName": "tenant", "namespaced": true, "kind": "Tenant", "verbs": ["list", "watch"]},
    {"name": "zones", "singularName": "zone", "namespaced": false, "kind": "Zone", "verbs": ["list", "watch"]},
    {"name": "pods", "singularName": "pod", "kind": "Pod", "verbs": ["list"]}]})";

TEST(DiscoveryTest, SaysWhereACustomKindIs) {
  struct Case {
    std::string kind;
    std::string path;
  };
  const std::vector<Case> cases = {
      {"Tenant.example.com", "/apis/example.com/v1beta1/namespaces/ns/tenants/x"},
      {"Zone.example.com", "/apis/example.com/v1beta1/zones/x"},
      {"Pod.example.com", "/apis/example.com/v1beta1/pods/x"},
  };
  for (const Case& each : cases) {
    const Result<Resource> found = ResourceIn(kDiscovered, each.kind);
    ASSERT_TRUE(found.has_value()) << found.error().message;
    EXPECT_EQ(found->kind, each.kind);
    EXPECT_EQ(found->Path("ns", "x"), each.path);
    EXPECT_FALSE(found->in_protobuf);
  }
}

TEST(DiscoveryTest, SaysWhatIsWrong) {
  struct Case {
    std::string body;
    std::string kind;
    std::string error;  // a part of it
  };
  const std::vector<Case> cases = {
      {kDiscovered, "Ghost.example.com", "example.com/v1beta1 has no kind Ghost.example.com"},
      {kDiscovered, "Tenant.example.org", "example.com/v1beta1 has no kind Tenant.example.org"},
      {kDiscovered, "Tenant", "example.com/v1beta1 has no kind Tenant"},
      {"{}", "Tenant.example.com", "has no kind"},
      {R"({"groupVersion": "example.com/v1", "resources": 7})", "Tenant.example.com", "has no kind"},
      {R"({"groupVersion": "example.com/v1", "resources": [7, null, {}]})", "Tenant.example.com", "has no kind"},
      {R"({"groupVersion": ["v1"], "resources": [{"name": "tenants", "kind": "Tenant"}]})", "Tenant.example.com",
       "has no kind"},
      {"", "Tenant.example.com", "discovery: not a JSON object"},
      {"[1]", "Tenant.example.com", "discovery: not a JSON object"},
      {"<html>service unavailable</html>", "Tenant.example.com", "discovery"},
      {"{", "Tenant.example.com", "discovery"},
      {"{}{}", "Tenant.example.com", "discovery"},
  };
  for (const Case& each : cases) {
    const Result<Resource> found = ResourceIn(each.body, each.kind);
    ASSERT_FALSE(found.has_value()) << each.body;
    EXPECT_NE(found.error().message.find(each.error), std::string::npos) << found.error().message;
  }
}

TEST(DiscoveryTest, TheServerPrefersAVersion) {
  const Result<std::string> version = PreferredVersion(
      R"({"kind":"APIGroup","name":"example.com","versions":[{"groupVersion":"example.com/v1","version":"v1"},)"
      R"({"groupVersion":"example.com/v2","version":"v2"}],)"
      R"("preferredVersion":{"groupVersion":"example.com/v2","version":"v2"}})");
  ASSERT_TRUE(version.has_value()) << version.error().message;
  EXPECT_EQ(*version, "example.com/v2");
  for (const char* body : {"", "{}", "7", "[]", R"({"preferredVersion":null})", R"({"preferredVersion":"v1"})",
                           R"({"preferredVersion":{"version":"v1"}})", R"({"preferredVersion":{"groupVersion":[]}})"}) {
    EXPECT_FALSE(PreferredVersion(body).has_value()) << body;
  }
}

}  // namespace
}  // namespace berth::kube
