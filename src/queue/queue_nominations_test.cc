// SPDX-License-Identifier: Apache-2.0
#include "queue/test_queue.h"

#include <gtest/gtest.h>

namespace berth::queue {
namespace {

using namespace test;

// How the queue keeps the nominator right.
class QueueNominationsTest : public testing::Test, protected QueueTestBed {
 protected:
  void Promise(std::string_view name, std::string_view node) {
    const QueuedPod* pod = queue().Find("default/" + std::string(name));
    nominator_.Add(pod->pod, node);
  }
};

TEST_F(QueueNominationsTest, ANewPodIsNominatedByItsStatus) {
  Add(MakePod("p").Nominated("n0"));
  Add("q");
  Update(MakePod("r"), MakePod("r").Nominated("n0"));
  EXPECT_EQ(NominatedOn("n0"), (Names{"p", "r"}));
}

TEST_F(QueueNominationsTest, AnUpdateTellsWhatBecameOfThePromise) {
  const struct {
    const char *promised, *before, *after, *expected;
  } cases[] = {
      {"", "", "n1", "n1"},      // made known
      {"n0", "n0", "n1", "n1"},  // moved
      {"n0", "n0", "", ""},      // taken back
      {"n0", "", "", "n0"},      // not shown yet
      {"n0", "", "n1", "n1"},    // shown, and another
      {"", "", "", ""},
  };
  Plugin("Fit", {kNodeAdd});
  for (const auto& c : cases) {
    for (const Place place : {Place::Active, Place::Backoff, Place::Unschedulable}) {
      const auto pod = [](const char* node) { return MakePod("p").Nominated(node); };
      if (place == Place::Active) {
        Add(pod(c.before));
      } else {
        AddFailed(pod(c.before), {"Fit"});
      }
      if (place == Place::Backoff) Wake(kNodeAdd);
      ASSERT_EQ(PlaceOf("p"), place);
      if (c.promised[0] != '\0') Promise("p", c.promised);
      Update(pod(c.before), pod(c.after));
      EXPECT_EQ(nominator_.NodeOf("default/p"), c.expected) << c.promised << " " << c.before << " " << c.after;
      if (c.expected[0] != '\0') {
        EXPECT_EQ(nominator_.PodsFor(c.expected).front(), Queued("p").pod) << "the newest object";
      }
      queue().Remove("default/p");
      EXPECT_EQ(nominator_.NodeOf("default/p"), "");
    }
  }
}

TEST_F(QueueNominationsTest, APodInFlightIsUpdatedByWhoPoppedIt) {
  Add(MakePod("p").Nominated("n0"));
  Pop();
  Update(MakePod("p").Nominated("n0"), MakePod("p").Nominated("n1"));
  EXPECT_EQ(nominator_.NodeOf("default/p"), "n0");
  queue().Remove("default/p");
  EXPECT_EQ(nominator_.NodeOf("default/p"), "");
}

TEST_F(QueueNominationsTest, MovesOfThePodLeaveThePromiseAlone) {
  Plugin("Fit", {kNodeAdd});
  Add("p");
  Promise("p", "n0");
  Pop();
  Fail("p", {"Fit"});
  clock_.Advance(5s);
  Wake(kNodeAdd);
  EXPECT_EQ(PlaceOf("p"), Place::Active);
  EXPECT_EQ(nominator_.NodeOf("default/p"), "n0");
}

}  // namespace
}  // namespace berth::queue
