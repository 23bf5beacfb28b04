// SPDX-License-Identifier: Apache-2.0
#include "cluster/cluster_objects.h"

#include "support/dice.h"
#include "support/rounds.h"

#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::cluster {
namespace {

using VolumePtr = std::shared_ptr<const api::PersistentVolume>;

VolumePtr Volume(std::string_view name, std::string_view storage_class) {
  auto volume = std::make_shared<api::PersistentVolume>();
  volume->meta.name = name;
  volume->storage_class_name = storage_class;
  return volume;
}

std::vector<std::string> OfClass(const ClusterObjects& table, std::string_view storage_class) {
  std::vector<std::string> names;
  for (const api::PersistentVolume* volume : table.PersistentVolumesOfClass(storage_class)) {
    EXPECT_EQ(table.FindPersistentVolume(volume->meta.name), volume);
    names.push_back(volume->meta.name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(ClusterObjects, VolumesAreFoundByClassInTheOrderOfTheirNames) {
  ClusterObjects table;
  for (const char* name : {"c", "a", "d"}) table.Set(Volume(name, "fast"));
  table.Set(Volume("b", "slow"));
  table.Set(Volume("none", ""));
  EXPECT_EQ(OfClass(table, "fast"), (Names{"a", "c", "d"}));
  EXPECT_EQ(OfClass(table, "slow"), (Names{"b"}));
  EXPECT_EQ(OfClass(table, ""), (Names{"none"}));
  EXPECT_EQ(OfClass(table, "absent"), Names());

  table.Set(Volume("a", "slow"));
  EXPECT_EQ(OfClass(table, "fast"), (Names{"c", "d"})) << "it changed its class";
  EXPECT_EQ(OfClass(table, "slow"), (Names{"a", "b"}));
  EXPECT_TRUE(table.Remove("PersistentVolume", "b"));
  EXPECT_FALSE(table.Remove("PersistentVolume", "b"));
  EXPECT_EQ(OfClass(table, "slow"), (Names{"a"}));
}

TEST(ClusterObjects, TheAnnotationGoesBeforeTheField) {
  ClusterObjects table;
  api::PersistentVolume annotated = *Volume("v", "field");
  annotated.meta.annotations.Set("volume.beta.kubernetes.io/storage-class", "annotation");
  table.Set(std::make_shared<const api::PersistentVolume>(annotated));
  EXPECT_EQ(OfClass(table, "annotation"), (Names{"v"}));
  EXPECT_EQ(OfClass(table, "field"), Names());
}

TEST(ClusterObjects, AForkKeepsItsOwnVolumes) {
  ClusterObjects table;
  table.Set(Volume("a", "fast"));
  ClusterObjects fork = table;
  fork.Set(Volume("b", "fast"));
  table.Remove("PersistentVolume", "a");
  EXPECT_EQ(OfClass(fork, "fast"), (Names{"a", "b"}));
  EXPECT_EQ(OfClass(table, "fast"), Names());
}

TEST(ClusterObjects, VolumesOfAClassEqualAScan) {
  for (uint64_t seed = 0; seed < test::Rounds(20); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    test::Dice dice(seed);
    ClusterObjects table;
    std::map<std::string, VolumePtr> all;
    for (size_t step = 0; step < 300; ++step) {
      const std::string name = fmt::format("v{}", dice.Below(12));
      if (dice.Chance(0.3)) {
        EXPECT_EQ(table.Remove("PersistentVolume", name), all.erase(name) != 0);
      } else {
        all[name] = Volume(name, fmt::format("class-{}", dice.Below(4)));
        table.Set(all[name]);
      }
      const std::string asked = fmt::format("class-{}", dice.Below(4));
      Names expected;
      for (const auto& [key, volume] : all) {
        if (volume->storage_class_name == asked) expected.push_back(key);
      }
      ASSERT_EQ(OfClass(table, asked), expected);
    }
  }
}

api::CustomObjectPtr Tenant(std::string_view ns, std::string_view name, std::string_view kind = "Tenant.example.com") {
  auto tenant = std::make_shared<api::CustomObject>();
  tenant->meta.namespace_ = ns;
  tenant->meta.name = name;
  tenant->kind = kind;
  return tenant;
}

TEST(ClusterObjects, CustomObjectsAreFoundByKindAndName) {
  ClusterObjects table;
  table.Set(Tenant("shop", "b"));
  table.Set(Tenant("", "wide"));
  table.Set(Tenant("shop", "a"));
  table.Set(Tenant("shop", "a", "Quota.example.com"));
  const api::CustomObject* found = table.FindCustom("Tenant.example.com", "shop", "a");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->kind, "Tenant.example.com");
  EXPECT_NE(table.FindCustom("Tenant.example.com", "", "wide"), nullptr);
  EXPECT_EQ(table.FindCustom("Tenant.example.com", "", "a"), nullptr);
  EXPECT_EQ(table.FindCustom("Tenant.example.org", "shop", "a"), nullptr);
  Names names;
  for (const api::CustomObject* tenant : table.CustomObjects("Tenant.example.com")) names.push_back(tenant->meta.Key());
  EXPECT_EQ(names, (Names{"shop/a", "shop/b", "wide"}));
  EXPECT_TRUE(table.CustomObjects("Nothing.example.com").empty());
}

TEST(ClusterObjects, ACustomKindHasAVersionOfItsOwn) {
  ClusterObjects table;
  EXPECT_EQ(table.Version("Tenant.example.com"), 0U);
  table.Set(Tenant("", "a"));
  const uint64_t first = table.Version("Tenant.example.com");
  EXPECT_NE(first, 0U);
  table.Set(Tenant("", "a", "Quota.example.com"));
  EXPECT_EQ(table.Version("Tenant.example.com"), first);
  EXPECT_TRUE(table.FindObject("Tenant.example.com", "a").has_value());
  EXPECT_FALSE(table.Remove("Tenant.example.com", "b"));
  EXPECT_EQ(table.Version("Tenant.example.com"), first);
  EXPECT_TRUE(table.Remove("Tenant.example.com", "a"));
  EXPECT_NE(table.Version("Tenant.example.com"), first);
  EXPECT_FALSE(table.FindObject("Tenant.example.com", "a").has_value());
  EXPECT_TRUE(table.FindObject("Quota.example.com", "a").has_value());
}

}  // namespace
}  // namespace berth::cluster
