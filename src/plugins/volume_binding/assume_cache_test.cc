// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/assume_cache.h"

#include "api/storage.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace berth::plugins {
namespace {

using api::PersistentVolume;

std::shared_ptr<const PersistentVolume> MakeVolume(const std::string& name, const std::string& version,
                                                   const std::string& phase = "") {
  PersistentVolume volume;
  volume.meta.name = name;
  volume.meta.resource_version = version;
  volume.phase = phase;
  return std::make_shared<const PersistentVolume>(std::move(volume));
}

// A cluster's volumes, and a cache over them.
class AssumeCacheTest : public testing::Test {
 protected:
  void Assume(const std::shared_ptr<const PersistentVolume>& volume) {
    cache_.Assume(volume, [&](const PersistentVolume& assumed) -> const PersistentVolume* {
      const auto it = real_.find(assumed.meta.name);
      return it == real_.end() ? nullptr : it->second.get();
    });
  }
  std::map<std::string, std::shared_ptr<const PersistentVolume>> real_;
  AssumeCache<PersistentVolume> cache_;
};

TEST_F(AssumeCacheTest, StandsForTheRealObjectUntilThatChanges) {
  Assume(MakeVolume("v", "1", "assumed"));
  EXPECT_EQ(cache_.Find(*MakeVolume("v", "1"))->phase, "assumed");
  EXPECT_EQ(cache_.Find(*MakeVolume("v", "2")), nullptr);
  EXPECT_EQ(cache_.Find(*MakeVolume("w", "1")), nullptr);
}

TEST_F(AssumeCacheTest, RestoresTheSameVersionOnly) {
  Assume(MakeVolume("v", "2", "by another pod, later"));
  cache_.Restore(*MakeVolume("v", "1"));
  EXPECT_NE(cache_.Find(*MakeVolume("v", "2")), nullptr);
  cache_.Restore(*MakeVolume("v", "2"));
  EXPECT_EQ(cache_.Find(*MakeVolume("v", "2")), nullptr);
}

TEST_F(AssumeCacheTest, WhatIsGoneOrHasChangedIsNotKept) {
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = std::to_string(i);
    Assume(MakeVolume(name, "1"));
    if (i % 2 == 0) real_[name] = MakeVolume(name, "2");
  }
  EXPECT_LE(cache_.size(), 64);
}

TEST_F(AssumeCacheTest, WhatIsInUseIsKept) {
  for (int i = 0; i < 1'000; ++i) {
    const std::string name = std::to_string(i);
    real_[name] = MakeVolume(name, "1");
    Assume(MakeVolume(name, "1"));
  }
  EXPECT_EQ(cache_.size(), 1'000);
}

}  // namespace
}  // namespace berth::plugins
