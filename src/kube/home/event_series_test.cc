// SPDX-License-Identifier: Apache-2.0
#include "kube/home/event_series.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Type = EventWrite::Type;

constexpr Timestamp kStart = Timestamp(seconds(1'780'000'000));
constexpr size_t kMost = 100;  // more than there are

api::PodPtr Pod(const std::string& name, const std::string& uid, const std::string& version = "1") {
  api::Pod pod;
  pod.meta.namespace_ = "default";
  pod.meta.name = name;
  pod.meta.uid = uid;
  pod.meta.resource_version = version;
  return std::make_shared<const api::Pod>(std::move(pod));
}

home::EventNote Note(Timestamp time = kStart) {
  home::EventNote note;
  note.about = Pod("web-1", "uid-1");
  note.type = "Warning";
  note.reason = "FailedScheduling";
  note.action = "Scheduling";
  note.note = "0/3 nodes are available";
  note.controller = "default-scheduler";
  note.time = time;
  return note;
}

class EventSeriesTest : public testing::Test {
 protected:
  // How many events are noted, one a second.
  void Take(int count) {
    for (int i = 0; i < count; ++i) series_.Take(Note(kStart + seconds(i)));
  }
  EventSeries series_{"node-7"};
};

TEST_F(EventSeriesTest, TheFirstIsCreatedWithANameOfPodAndTime) {
  const EventWrite write = series_.Take(Note());
  EXPECT_EQ(write.type, Type::Create);
  EXPECT_EQ(write.namespace_, "default");
  EXPECT_EQ(write.name, "web-1.18b3d491b4320000");
  EXPECT_EQ(write.count, 0);
}

TEST_F(EventSeriesTest, WhatHasNoNamespaceIsToldInTheDefaultOne) {
  home::EventNote note = Note();
  api::Pod pod = *note.about;
  pod.meta.namespace_.clear();
  note.about = std::make_shared<const api::Pod>(std::move(pod));
  EXPECT_EQ(series_.Take(note).namespace_, "default");
}

TEST_F(EventSeriesTest, ANameThatWouldBeTooLongForTheServerIsMadeOfTheUid) {
  home::EventNote note = Note();
  note.about = Pod(std::string(253 - 17, 'a'), "uid-1");
  EXPECT_EQ(series_.Take(note).name.size(), 253u);
  note.about = Pod(std::string(253 - 16, 'a'), "uid-2");
  EXPECT_EQ(series_.Take(note).name, "uid-2.18b3d491b4320000");
}

TEST_F(EventSeriesTest, TheSecondMakesASeriesAndLaterOnesAreOnlyCounted) {
  const std::string name = series_.Take(Note()).name;
  const EventWrite second = series_.Take(Note(kStart + seconds(5)));
  EXPECT_EQ(second.type, Type::Count);
  EXPECT_EQ(second.name, name);
  EXPECT_EQ(second.count, 2);
  EXPECT_EQ(second.last_observed, kStart + seconds(5));
  EXPECT_EQ(series_.Take(Note(kStart + seconds(6))).type, Type::Nothing);
  EXPECT_EQ(series_.Take(Note(kStart + seconds(7))).type, Type::Nothing);
  EXPECT_EQ(series_.size(), 1u);
}

TEST_F(EventSeriesTest, EventsThatTellSomethingElseAreSeriesOfTheirOwn) {
  struct Case {
    std::string what;
    std::function<void(home::EventNote&)> change;
    Type type;
  };
  const std::vector<Case> cases = {
      {"type", [](home::EventNote& note) { note.type = "Normal"; }, Type::Create},
      {"action", [](home::EventNote& note) { note.action = "Binding"; }, Type::Create},
      {"reason", [](home::EventNote& note) { note.reason = "Scheduled"; }, Type::Create},
      {"controller", [](home::EventNote& note) { note.controller = "other-scheduler"; }, Type::Create},
      {"another pod of the name", [](home::EventNote& note) { note.about = Pod("web-1", "uid-2"); }, Type::Create},
      {"another state of the pod", [](home::EventNote& note) { note.about = Pod("web-1", "uid-1", "2"); },
       Type::Create},
      {"someone has a part", [](home::EventNote& note) { note.related = Pod("p", "uid-p"); }, Type::Create},
      {"the note", [](home::EventNote& note) { note.note = "0/4 nodes are available"; }, Type::Count},
      {"the time", [](home::EventNote& note) { note.time += minutes(5); }, Type::Count},
      {"nothing", [](home::EventNote&) {}, Type::Count},
  };
  for (const Case& each : cases) {
    EventSeries series("h");
    series.Take(Note());
    home::EventNote note = Note();
    each.change(note);
    EXPECT_EQ(series.Take(note).type, each.type) << each.what;
  }
  home::EventNote note = Note();
  note.related = Pod("p", "uid-p");
  EXPECT_EQ(series_.Take(note).type, Type::Create);
  EXPECT_EQ(series_.Take(note).type, Type::Count);
  note.related = Pod("p", "uid-q");
  EXPECT_EQ(series_.Take(note).type, Type::Create) << "someone else has a part";
  note.related = Pod("p", "uid-q", "2");
  EXPECT_EQ(series_.Take(note).type, Type::Create) << "in another state";
}

TEST_F(EventSeriesTest, ASeriesEndsWithoutAnEventForSixMinutesAndItsCountIsWritten) {
  Take(3);
  const Timestamp last = kStart + seconds(2);
  EXPECT_TRUE(series_.Due(last + minutes(6), kMost).empty());
  const std::vector<DueCount> due = series_.Due(last + minutes(6) + Duration(1), kMost);
  ASSERT_EQ(due.size(), 1u);
  const EventWrite& write = due.front().write;
  EXPECT_EQ(write.type, Type::Count);
  EXPECT_EQ(write.namespace_, "default");
  EXPECT_EQ(write.name, "web-1.18b3d491b4320000");
  EXPECT_EQ(write.count, 3);
  EXPECT_EQ(write.last_observed, last);
  EXPECT_EQ(due.front().note->reason, "FailedScheduling");
  EXPECT_EQ(series_.Due(last + minutes(7), kMost).size(), 1u) << "it is not written yet";
  series_.Wrote(*due.front().note, last + minutes(7));
  EXPECT_EQ(series_.size(), 0u);
  EXPECT_EQ(series_.Take(Note(last + minutes(10))).type, Type::Create) << "a new one begins";
}

TEST_F(EventSeriesTest, ACountThatCannotBeWrittenIsGivenUp) {
  Take(2);
  const Timestamp last = kStart + seconds(1);
  EXPECT_EQ(series_.Due(last + minutes(16), kMost).size(), 1u);
  EXPECT_EQ(series_.Due(last + minutes(16) + Duration(1), kMost).size(), 1u) << "the last time";
  EXPECT_EQ(series_.size(), 0u);
}

TEST_F(EventSeriesTest, CountsAreDueAFewAtATimeEachInItsTurn) {
  for (int i = 0; i < 2; ++i) {
    for (const char* uid : {"a", "b", "c", "d", "e"}) {
      home::EventNote note = Note();
      note.about = Pod("web", uid);
      series_.Take(note);
    }
  }
  const auto due = [&] {
    std::string uids;
    for (const DueCount& each : series_.Due(kStart + minutes(7), 2)) uids += each.note->about->meta.uid;
    return uids;
  };
  EXPECT_EQ(due(), "ab");
  EXPECT_EQ(due(), "cd");
  EXPECT_EQ(due(), "ea") << "it was not written yet";
  home::EventNote note = Note();
  note.about = Pod("web", "b");
  series_.Wrote(note, kStart + minutes(7));
  EXPECT_EQ(due(), "cd");
}

TEST_F(EventSeriesTest, ASingleEventIsForgottenWithoutAWrite) {
  Take(1);
  EXPECT_TRUE(series_.Due(kStart + minutes(6), kMost).empty());
  EXPECT_EQ(series_.size(), 1u);
  EXPECT_TRUE(series_.Due(kStart + minutes(6) + Duration(1), kMost).empty());
  EXPECT_EQ(series_.size(), 0u);
}

TEST_F(EventSeriesTest, TheCountOfALongSeriesIsWrittenEveryHalfHour) {
  std::vector<std::string> written;
  for (int minute = 0; minute <= 95; ++minute) {
    const Timestamp now = kStart + minutes(minute);
    series_.Take(Note(now));
    for (const DueCount& due : series_.Due(now, kMost)) {
      EXPECT_EQ(due.write.last_observed, now);
      written.push_back(std::to_string(minute) + ": " + std::to_string(due.write.count));
      if (minute != 61) series_.Wrote(*due.note, now);  // that time it fails
    }
  }
  EXPECT_EQ(written, (std::vector<std::string>{"31: 32", "61: 62", "62: 63", "92: 93"}));
}

TEST_F(EventSeriesTest, AnEventThatWasNotCreatedIsAsIfItHadNeverBeen) {
  Take(1);
  series_.Forget(Note());
  EXPECT_EQ(series_.size(), 0u);
  EXPECT_EQ(series_.Take(Note()).type, Type::Create);
  series_.Forget(home::EventNote{.about = Pod("unheard-of", "uid-9"),
                                 .type = {},
                                 .reason = {},
                                 .action = {},
                                 .note = {},
                                 .controller = {},
                                 .time = {}});
  EXPECT_EQ(series_.size(), 1u);
}

TEST_F(EventSeriesTest, AnEventIsCountedOnceHoweverOftenItsWriteIsTried) {
  Take(1);
  for (int tries = 0; tries < 3; ++tries) {
    const EventWrite write = series_.Take(Note(kStart + seconds(1)));
    EXPECT_EQ(write.type, Type::Count);
    EXPECT_EQ(write.count, 2);
    series_.Forget(Note(kStart + seconds(1)));
  }
  EXPECT_EQ(series_.Take(Note(kStart + seconds(1))).count, 2);
  EXPECT_EQ(series_.Take(Note(kStart + seconds(2))).count, 3);
}

TEST_F(EventSeriesTest, WhatOthersCountedMeanwhileStaysWhenAWriteFails) {
  Take(3);  // the second is being written
  series_.Forget(Note(kStart + seconds(1)));
  const EventWrite again = series_.Take(Note(kStart + seconds(1)));
  EXPECT_EQ(again.type, Type::Count) << "the server has not heard of a series yet";
  EXPECT_EQ(again.count, 3);
  EXPECT_EQ(series_.Take(Note(kStart + seconds(3))).type, Type::Nothing);
}

TEST_F(EventSeriesTest, TheInstanceIsTheProfileOnItsHost) {
  EXPECT_EQ(series_.InstanceOf(Note()), "default-scheduler-node-7");
}

}  // namespace
}  // namespace berth::kube
