// SPDX-License-Identifier: Apache-2.0
#include "kube/home/watch_stream.h"

#include "api/document.h"
#include "kube/proto/envelope.h"
#include "kube/proto/test_messages.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube {
namespace {

using net::ExchangeEnd;
using test::TestObject;

constexpr std::string_view kWatchOfProtobuf = "application/vnd.kubernetes.protobuf;stream=watch";

// Keeps what a watch says, as text.
struct NotedEvents final : WatchListener {
  void WatchBegan() override { ++begun; }
  void WatchTold(const WatchedEvent& event) override {
    constexpr std::array<std::string_view, 4> kNames = {"set", "deleted", "bookmark", "initial end"};
    events.push_back(fmt::format("{} {}/{} {} {}", kNames.at(static_cast<size_t>(event.type)), event.namespace_,
                                 event.name, event.uid, event.resource_version));
    if (event.type == WatchedEvent::Type::Set) {
      contents.push_back(event.document != nullptr ? api::ToJson(*event.document) : std::string(event.message));
    }
    if (when_told) when_told();
  }
  void WatchPaused() override { ++pauses; }
  void WatchEnded(const ApiError& error, std::optional<Duration> retry) override {
    ends.push_back(fmt::format("{} {}: {}", error.status, error.reason, error.message));
    retry_after = retry;
  }

  std::vector<std::string> events;
  std::vector<std::string> contents;
  std::vector<std::string> ends;
  std::optional<Duration> retry_after;
  int begun = 0;
  int pauses = 0;
  std::function<void()> when_told;
};

net::ResponseHead Head(int status, std::string_view content_type) {
  return {status, {{"content-type", std::string(content_type)}}};
}

// How the events of a test are spelled.
struct Spelling {
  std::string content_type;
  std::function<std::string(const std::string& type, const TestObject& object)> event;
  std::string error;    // an ERROR event of an expired version
  std::string garbage;  // after which no event can be read
};

std::string JsonLine(std::string_view type, std::string_view object) {
  return fmt::format(R"({{"type":"{}","object":{}}})", type, object) + "\n";
}

std::vector<Spelling> Spellings() {
  return {
      {std::string(kWatchOfProtobuf),
       [](const std::string& type, const TestObject& object) {
         return test::WatchFrame(type, test::Enveloped("v1", "Pod", test::PodMessage(object)));
       },
       test::WatchFrame("ERROR", test::Enveloped("v1", "Status", test::StatusMessage(410, "Expired", "too old"))),
       std::string("\x7f\xff\xff\xff", 4)},
      {"application/json",
       [](const std::string& type, const TestObject& object) { return JsonLine(type, test::PodJson(object)); },
       JsonLine("ERROR", R"({"kind":"Status","apiVersion":"v1","message":"too old","reason":"Expired","code":410})"),
       "}\n"},
  };
}

const TestObject kFirst = {.name = "a", .uid = "uid-a", .version = "11"};
const TestObject kSecond = {.namespace_ = "kube-system", .name = "b", .uid = "uid-b", .version = "12", .node = "n1"};

std::string AllEvents(const Spelling& spelling) {
  return spelling.event("ADDED", kFirst) + spelling.event("MODIFIED", kSecond) +
         spelling.event("BOOKMARK", {.namespace_ = "", .version = "13", .initial_events_end = true}) +
         spelling.event("DELETED", {.name = "a", .uid = "uid-a", .version = "14"}) +
         spelling.event("BOOKMARK", {.namespace_ = "", .version = "15"});
}

const std::vector<std::string>& AllTold() {
  static const std::vector<std::string> kTold = {"set default/a uid-a 11", "set kube-system/b uid-b 12",
                                                 "initial end /  13", "deleted default/a uid-a 14", "bookmark /  15"};
  return kTold;
}

TEST(WatchStreamTest, TellsEventsInOrder) {
  for (const Spelling& spelling : Spellings()) {
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(200, spelling.content_type));
    stream.TakeBody(AllEvents(spelling));
    EXPECT_EQ(noted.events, AllTold()) << spelling.content_type;
    EXPECT_EQ(noted.pauses, 1) << "those that come together are told together";
    EXPECT_TRUE(noted.ends.empty());
    stream.TakeEnd(ExchangeEnd::Complete, "");
    EXPECT_EQ(noted.ends, std::vector<std::string>{"0 : "}) << "the server ended it";
  }
}

TEST(WatchStreamTest, HandsOverTheObjectsThatWereSet) {
  NotedEvents in_protobuf;
  WatchStream stream(in_protobuf);
  stream.TakeHead(Head(200, kWatchOfProtobuf));
  stream.TakeBody(AllEvents(Spellings().at(0)));
  EXPECT_EQ(in_protobuf.contents, (std::vector<std::string>{test::PodMessage(kFirst), test::PodMessage(kSecond)}));
  NotedEvents in_json;
  WatchStream lines(in_json);
  lines.TakeHead(Head(200, "application/json"));
  lines.TakeBody(AllEvents(Spellings().at(1)));
  EXPECT_EQ(in_json.contents, (std::vector<std::string>{test::PodJson(kFirst), test::PodJson(kSecond)}));
}

TEST(WatchStreamTest, PiecesMayEndAnywhere) {
  for (const Spelling& spelling : Spellings()) {
    const std::string all = AllEvents(spelling);
    for (size_t cut = 0; cut <= all.size(); ++cut) {
      NotedEvents noted;
      WatchStream stream(noted);
      stream.TakeHead(Head(200, spelling.content_type));
      // Copies of their own: reading past their end is visible to the sanitizers.
      const std::string before = all.substr(0, cut);
      const std::string after = all.substr(cut);
      stream.TakeBody(before);
      stream.TakeBody(after);
      ASSERT_EQ(noted.events, AllTold()) << spelling.content_type << " cut at " << cut;
      ASSERT_TRUE(noted.ends.empty());
    }
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(200, spelling.content_type));
    for (const char byte : all) stream.TakeBody(std::string(1, byte));
    EXPECT_EQ(noted.events, AllTold()) << spelling.content_type << " byte by byte";
    EXPECT_EQ(noted.contents.size(), 2u);
  }
}

TEST(WatchStreamTest, AnEventThatIsCutByTheEndIsNotTold) {
  for (const Spelling& spelling : Spellings()) {
    const std::string whole = spelling.event("ADDED", kFirst);
    const std::string next = spelling.event("ADDED", kSecond);
    for (size_t cut = 0; cut < next.size(); ++cut) {
      NotedEvents noted;
      WatchStream stream(noted);
      stream.TakeHead(Head(200, spelling.content_type));
      stream.TakeBody(whole + next.substr(0, cut));
      stream.TakeEnd(ExchangeEnd::Unknown, "connection reset");
      ASSERT_EQ(noted.events, std::vector<std::string>{AllTold().front()}) << cut;
      ASSERT_EQ(noted.ends, std::vector<std::string>{"0 : connection reset"});
    }
  }
}

TEST(WatchStreamTest, AnErrorEventEndsTheWatchOnce) {
  for (const Spelling& spelling : Spellings()) {
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(200, spelling.content_type));
    stream.TakeBody(spelling.event("ADDED", kFirst) + spelling.error + spelling.event("ADDED", kSecond));
    stream.TakeBody(spelling.event("ADDED", kSecond));
    stream.TakeEnd(ExchangeEnd::Complete, "");
    EXPECT_EQ(noted.events, std::vector<std::string>{AllTold().front()});
    EXPECT_EQ(noted.ends, std::vector<std::string>{"410 Expired: too old"}) << spelling.content_type;
    EXPECT_EQ(noted.pauses, 0);
  }
}

TEST(WatchStreamTest, ErrorEventsNeedNotSayMuch) {
  struct Case {
    std::string_view content_type;
    std::string event;
    std::string end;
  };
  const std::vector<Case> cases = {
      {"application/json", JsonLine("ERROR", "{}"), "0 : the watch failed with 0"},
      {"application/json", JsonLine("ERROR", R"({"code":"five","message":[]})"), "0 : the watch failed with 0"},
      {"application/json", JsonLine("ERROR", R"({"code":500})"), "500 : the watch failed with 500"},
      {kWatchOfProtobuf, test::WatchFrame("ERROR", test::Enveloped("v1", "Status", "")), "0 : the watch failed with 0"},
      {kWatchOfProtobuf, test::WatchFrame("ERROR", ""),
       "500 InternalError: not protobuf of Kubernetes: the four magic bytes are missing"},
      {kWatchOfProtobuf, test::WatchFrame("ERROR", test::Enveloped("v1", "Secret", "")),
       "500 InternalError: Secret of v1 is not read from protobuf"},
  };
  for (const Case& each : cases) {
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(200, each.content_type));
    stream.TakeBody(each.event);
    EXPECT_EQ(noted.ends, std::vector<std::string>{each.end});
  }
}

TEST(WatchStreamTest, BeginsWhenTheServerAcceptsIt) {
  for (const int status : {200, 403, 410, 429, 503}) {
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(status, "application/json"));
    EXPECT_EQ(noted.begun, status == 200 ? 1 : 0) << status;
  }
  NotedEvents noted;
  WatchStream stream(noted);
  stream.Silence();
  stream.TakeHead(Head(200, "application/json"));
  EXPECT_EQ(noted.begun, 0);
}

TEST(WatchStreamTest, ARefusalSaysWhyWhateverItsForm) {
  struct Case {
    int status;
    std::string_view content_type;
    std::string body;
    std::string end;
  };
  const std::vector<Case> cases = {
      {410, "application/json", R"({"kind":"Status","message":"too old","reason":"Expired","code":410})",
       "410 Expired: too old"},
      {410, proto::kContentType, test::Enveloped("v1", "Status", test::StatusMessage(410, "Gone", "too old")),
       "410 Gone: too old"},
      {422, "application/json; charset=utf-8",
       R"({"kind":"Status","message":"sendInitialEvents: Forbidden","reason":"Invalid","code":422})",
       "422 Invalid: sendInitialEvents: Forbidden"},
      {400, "text/plain", "no", "400 : the server answered 400: no"},
      {503, "", "", "503 : the server answered 503"},
  };
  for (const Case& each : cases) {
    for (size_t cut = 0; cut <= each.body.size(); ++cut) {
      NotedEvents noted;
      WatchStream stream(noted);
      net::ResponseHead head = Head(each.status, each.content_type);
      head.headers.emplace_back("retry-after", "3");
      stream.TakeHead(head);
      stream.TakeBody(each.body.substr(0, cut));
      stream.TakeBody(each.body.substr(cut));
      ASSERT_TRUE(noted.ends.empty()) << "before its end";
      stream.TakeEnd(ExchangeEnd::Complete, "");
      ASSERT_EQ(noted.ends, std::vector<std::string>{each.end}) << cut;
      ASSERT_EQ(noted.retry_after, std::chrono::seconds(3));
      ASSERT_TRUE(noted.events.empty());
      ASSERT_EQ(noted.pauses, 0);
    }
  }
}

TEST(WatchStreamTest, AnEndlessRefusalIsNotKept) {
  NotedEvents noted;
  WatchStream stream(noted);
  stream.TakeHead(Head(500, "text/plain"));
  const std::string piece(size_t{1} << 20U, 'x');
  for (int i = 0; i < 8; ++i) stream.TakeBody(piece);
  stream.TakeEnd(ExchangeEnd::Complete, "");
  ASSERT_EQ(noted.ends.size(), 1u);
  EXPECT_LT(noted.ends.front().size(), 300u);
}

TEST(WatchStreamTest, ARequestThatGotNoAnswerSaysWhy) {
  NotedEvents noted;
  WatchStream stream(noted);
  stream.TakeEnd(ExchangeEnd::NotSent, "connection refused");
  EXPECT_EQ(noted.ends, std::vector<std::string>{"0 : connection refused"});
}

TEST(WatchStreamTest, WhatIsNoWatchEndsItOnce) {
  struct Case {
    std::string_view content_type;
    std::string body;
    std::string end;  // a part of it
  };
  const auto enveloped = [](const std::string& message) { return test::Enveloped("v1", "Pod", message); };
  const std::vector<Case> cases = {
      {"application/json", "garbage\n", "a line of the watch holds no event"},
      {"application/json", "{\n", "watch"},
      {"application/json", "{}\n", "a line of the watch holds no event"},
      {"application/json", "[1]\n", "a line of the watch holds no event"},
      {"application/json",
       R"({"type":"ADDED"})"
       "\n",
       "a line of the watch holds no event"},
      {"application/json", "{\"type\":\"ADDED\",\"object\":{}}{\"type\":\"ADDED\",\"object\":{}}\n", ""},
      {"application/json", std::string("\0\xff\n", 3), "watch"},
      {"application/json", std::string((size_t{16} << 20U) + 1, ' '), "a line of the watch is too long"},
      {kWatchOfProtobuf, std::string("\x7f\xff\xff\xff", 4), "a frame of 2147483647 bytes"},
      {kWatchOfProtobuf, std::string("\0\0\0\0", 4), "WatchEvent: a type is required"},
      {kWatchOfProtobuf, std::string("\0\0\0\1\xff", 5), "WatchEvent at byte 0"},
      {kWatchOfProtobuf, test::WatchFrame("ADDED", "pod"), "the four magic bytes are missing"},
      {kWatchOfProtobuf, test::WatchFrame("ADDED", enveloped("x")), "object at byte 0"},
      {kWatchOfProtobuf, test::WatchFrame("ADDED", enveloped(test::Part(1, "x"))), "ObjectMeta at byte 0"},
  };
  for (const Case& each : cases) {
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(200, each.content_type));
    stream.TakeBody(each.body);
    ASSERT_EQ(noted.ends.size(), 1u) << each.end;
    EXPECT_TRUE(noted.ends.front().starts_with("500 InternalError: ")) << noted.ends.front();
    EXPECT_NE(noted.ends.front().find(each.end), std::string::npos) << noted.ends.front();
    EXPECT_TRUE(noted.events.empty()) << each.end;
    stream.TakeBody(each.body);
    stream.TakeEnd(ExchangeEnd::Complete, "");
    EXPECT_EQ(noted.ends.size(), 1u);
  }
}

TEST(WatchStreamTest, WhatCameBeforeGarbageIsTold) {
  for (const Spelling& spelling : Spellings()) {
    NotedEvents noted;
    WatchStream stream(noted);
    stream.TakeHead(Head(200, spelling.content_type));
    stream.TakeBody(spelling.event("ADDED", kFirst) + spelling.garbage + spelling.event("ADDED", kSecond));
    EXPECT_EQ(noted.events, std::vector<std::string>{AllTold().front()});
    EXPECT_EQ(noted.ends.size(), 1u);
  }
}

TEST(WatchStreamTest, LinesMayBeEmptyOrEndAsOnWindows) {
  NotedEvents noted;
  WatchStream stream(noted);
  stream.TakeHead(Head(200, "application/json"));
  std::string line = JsonLine("ADDED", test::PodJson(kFirst));
  line.insert(line.size() - 1, "\r");
  stream.TakeBody("\n\n" + line + "\n");
  EXPECT_EQ(noted.events, std::vector<std::string>{AllTold().front()});
  EXPECT_TRUE(noted.ends.empty());
}

TEST(WatchStreamTest, AListenerMaySilenceItAtAnyEvent) {
  for (const Spelling& spelling : Spellings()) {
    for (size_t heard = 1; heard <= AllTold().size(); ++heard) {
      NotedEvents noted;
      WatchStream stream(noted);
      noted.when_told = [&] {
        if (noted.events.size() == heard) stream.Silence();
      };
      stream.TakeHead(Head(200, spelling.content_type));
      stream.TakeBody(AllEvents(spelling) + spelling.error);
      stream.TakeBody(spelling.garbage);
      stream.TakeEnd(ExchangeEnd::Unknown, "lost");
      EXPECT_EQ(noted.events.size(), heard);
      EXPECT_TRUE(noted.ends.empty());
      EXPECT_EQ(noted.pauses, 0);
    }
  }
}

TEST(IdentityTest, IsWhatMetadataSays) {
  const TestObject object = {.namespace_ = "ns", .name = "p", .uid = "u", .version = "9"};
  const std::string message = test::PodMessage(object);
  const Result<WatchedEvent> by_message = IdentityOf(message, WatchedEvent::Type::Set);
  ASSERT_TRUE(by_message.has_value());
  const std::vector<api::Document> documents = *api::ReadDocuments(test::PodJson(object), "pod");
  const WatchedEvent by_document = IdentityOf(documents.front().root, WatchedEvent::Type::Set);
  for (const WatchedEvent& event : {*by_message, by_document}) {
    EXPECT_EQ(event.namespace_, "ns");
    EXPECT_EQ(event.name, "p");
    EXPECT_EQ(event.uid, "u");
    EXPECT_EQ(event.resource_version, "9");
  }
  EXPECT_EQ(IdentityOf(api::Value::Map(), WatchedEvent::Type::Deleted).name, "");
  EXPECT_EQ(IdentityOf(api::Value::String("x"), WatchedEvent::Type::Deleted).name, "");
  EXPECT_EQ(IdentityOf("", WatchedEvent::Type::Deleted)->name, "");
}

TEST(IdentityTest, OnlyABookmarkEndsTheInitialEvents) {
  const TestObject annotated = {.name = "p", .initial_events_end = true};
  const std::string message = test::PodMessage(annotated);
  EXPECT_EQ(IdentityOf(message, WatchedEvent::Type::Set)->type, WatchedEvent::Type::Set);
  EXPECT_EQ(IdentityOf(message, WatchedEvent::Type::Deleted)->type, WatchedEvent::Type::Deleted);
  EXPECT_EQ(IdentityOf(message, WatchedEvent::Type::Bookmark)->type, WatchedEvent::Type::InitialEnd);
  const std::vector<api::Document> documents = *api::ReadDocuments(test::PodJson(annotated), "pod");
  EXPECT_EQ(IdentityOf(documents.front().root, WatchedEvent::Type::Set).type, WatchedEvent::Type::Set);
  EXPECT_EQ(IdentityOf(documents.front().root, WatchedEvent::Type::Bookmark).type, WatchedEvent::Type::InitialEnd);
}

}  // namespace
}  // namespace berth::kube
