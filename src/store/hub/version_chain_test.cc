// SPDX-License-Identifier: Apache-2.0
#include "store/hub/version_chain.h"

#include <memory>

#include <gtest/gtest.h>

namespace berth::store {
namespace {

TEST(VersionChain, GivesUpManyVersionsOneByOne) {
  VersionChain chain;
  constexpr Revision kVersions = 1000;
  for (Revision revision = 1; revision <= kVersions; ++revision) {
    Record record;
    record.modified = revision;
    chain.Push(std::make_shared<const Record>(record), false);
  }
  for (Revision floor = 1; floor <= kVersions; ++floor) {
    chain.ForgetBefore(floor);
    ASSERT_EQ(chain.At(floor - 1), nullptr);
    ASSERT_EQ(chain.At(floor)->modified, floor);
    ASSERT_EQ(chain.At(kVersions)->modified, kVersions);
  }
}

}  // namespace
}  // namespace berth::store
