// SPDX-License-Identifier: Apache-2.0
#include "api/custom_object.h"

#include "api/document.h"
#include "api/encode.h"
#include "api/kinds.h"
#include "api/manifest.h"
#include "api/object.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace {

constexpr const char* kTenant = R"(
apiVersion: example.com/v1
kind: Tenant
metadata: {name: blue, labels: {tier: gold}}
spec: {quota: 3})";

Value Parsed(const char* yaml) { return ReadDocuments(yaml, "test").value().front().root; }

TEST(Kinds, TheTableAgreesWithTheTypes) {
  static_assert(KindOf<Pod>() == "Pod");
  static_assert(KindOf<CsiStorageCapacity>() == "CSIStorageCapacity");
  static_assert(KindOf<VolumeAttachment>() == "VolumeAttachment");
  for (const KindInfo& kind : kKinds) {
    Value document = Value::Map();
    document.Set("kind", Value::String(std::string(kind.name)));
    Value metadata = Value::Map();
    metadata.Set("name", Value::String("x"));
    document.Set("metadata", std::move(metadata));
    DecodeErrors errors;
    const Object object = DecodeObject(document, errors);
    ASSERT_TRUE(errors.empty()) << kind.name;
    EXPECT_EQ(KindOf(object), kind.name);
    EXPECT_EQ(MetaOf(object).namespace_, kind.namespaced ? "default" : "") << kind.name;
    EXPECT_EQ(QualifiedKind(ApiVersionOf(object), kind.name), kind.name);
  }
}

TEST(Kinds, AKindWithoutATypeIsNamedWithItsGroup) {
  EXPECT_EQ(QualifiedKind("example.com/v1", "Tenant"), "Tenant.example.com");
  EXPECT_EQ(QualifiedKind("serving.knative.dev/v1", "Service"), "Service.serving.knative.dev");
  EXPECT_EQ(QualifiedKind("v1", "Service"), "Service");
  EXPECT_EQ(QualifiedKind("", "StatefulSet"), "StatefulSet");
  EXPECT_EQ(QualifiedKind("v1", "ConfigMap"), "ConfigMap");
  EXPECT_TRUE(IsCustomKind("Tenant.example.com"));
  for (const char* other : {"Pod", "ConfigMap", "Tenant.", ".example.com", ""}) EXPECT_FALSE(IsCustomKind(other));
}

TEST(CustomObject, KeepsItsDocumentWhole) {
  DecodeErrors errors;
  const CustomObject tenant = DecodeCustomObject(Parsed(kTenant), errors);
  ASSERT_TRUE(errors.empty());
  EXPECT_EQ(tenant.kind, "Tenant.example.com");
  EXPECT_EQ(tenant.api_version, "example.com/v1");
  EXPECT_EQ(tenant.meta.Key(), "blue");
  EXPECT_EQ(*tenant.meta.labels.Find("tier"), "gold");
  EXPECT_EQ(tenant.document->Find("spec")->Find("quota")->text(), "3");

  const Object object = WithIdentity(std::make_shared<const CustomObject>(tenant), "u-1", "7");
  EXPECT_EQ(KindOf(object), "Tenant.example.com");
  EXPECT_EQ(ApiVersionOf(object), "example.com/v1");
  EXPECT_EQ(MetaOf(object).uid, "u-1");
  const Value written = Encode(object);
  EXPECT_EQ(written.Find("metadata")->Find("uid")->text(), "u-1");
  EXPECT_EQ(written.Find("spec")->Find("quota")->text(), "3");
  EXPECT_EQ(written.Find("kind")->text(), "Tenant");
}

TEST(CustomObject, HasTheNamespaceItSaysItHas) {
  DecodeErrors errors;
  const char* in_shop = "apiVersion: example.com/v1\nkind: Tenant\nmetadata: {name: blue, namespace: shop}";
  EXPECT_EQ(DecodeCustomObject(Parsed(in_shop), errors).meta.Key(), "shop/blue");
  EXPECT_TRUE(errors.empty());
}

TEST(CustomObject, NeedsAGroupAndAName) {
  for (const char* bad : {"apiVersion: v1\nkind: Tenant\nmetadata: {name: blue}",
                          "kind: Tenant\nmetadata: {name: blue}", "apiVersion: example.com/v1\nkind: Tenant"}) {
    DecodeErrors errors;
    DecodeCustomObject(Parsed(bad), errors);
    EXPECT_EQ(errors.errors().size(), 1U) << bad;
  }
}

TEST(CustomObject, FilesAreReadForTheKindsThatAreAskedFor) {
  const std::string kinds[] = {"Tenant.example.com"};
  const auto read = [](std::span<const std::string> custom_kinds) {
    return ParseManifests(ReadDocuments(kTenant, "test").value(), {}, custom_kinds).value();
  };
  const Manifests asked = read(kinds);
  ASSERT_EQ(asked.objects.size(), 1U);
  EXPECT_EQ(KindOf(asked.objects.front().object), "Tenant.example.com");
  EXPECT_TRUE(asked.ignored.empty());
  const Manifests unasked = read({});
  EXPECT_TRUE(unasked.objects.empty());
  EXPECT_EQ(unasked.ignored.at("Tenant"), 1U);
}

TEST(CustomObject, AListOfThemIsUnfolded) {
  const std::string kinds[] = {"Tenant.example.com"};
  const char* list = "apiVersion: example.com/v1\nkind: TenantList\nitems: [metadata: {name: a}, metadata: {name: b}]";
  EXPECT_EQ(ParseManifests(ReadDocuments(list, "test").value(), {}, kinds).value().objects.size(), 2U);
}

}  // namespace
}  // namespace berth::api
