// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/read_proto.h"

#include "api/document.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace berth::kube::proto {
namespace {

using namespace std::string_literals;

// One byte of tag and one of length or number are enough here.
std::string Bytes(unsigned field, const std::string& bytes) {
  return std::string{static_cast<char>(field << 3U | 2U), static_cast<char>(bytes.size())} + bytes;
}
std::string Varint(unsigned field, unsigned value) {
  return {static_cast<char>(field << 3U), static_cast<char>(value)};
}
std::string Entry(const std::string& key, const std::string& value) { return Bytes(1, key) + Bytes(2, value); }

constexpr std::array kInnerFields{Field{1, FieldType::String, FieldShape::Plain, "text"},
                                  Field{2, FieldType::Int32, FieldShape::Plain, "number"}};
constexpr Message kInner{"Inner", kInnerFields};
constexpr std::array kOuterFields{Field{1, FieldType::String, FieldShape::Plain, "name"},
                                  Field{2, FieldType::Submessage, FieldShape::Plain, "inner", &kInner},
                                  Field{3, FieldType::Submessage, FieldShape::List, "inners", &kInner},
                                  Field{4, FieldType::String, FieldShape::List, "texts"},
                                  Field{5, FieldType::String, FieldShape::Map, "labels"},
                                  Field{6, FieldType::Inline, FieldShape::Plain, "", &kInner},
                                  Field{7, FieldType::Time, FieldShape::Optional, "time"},
                                  Field{8, FieldType::Quantity, FieldShape::Optional, "amount"},
                                  Field{9, FieldType::Int32, FieldShape::Optional, "maybe"},
                                  Field{10, FieldType::Bool, FieldShape::Plain, "flag"},
                                  Field{11, FieldType::Int64, FieldShape::Plain, "long"}};
constexpr Message kOuter{"Outer", kOuterFields};

std::string Read(const std::string& bytes, const Message& message = kOuter) {
  const Result<api::Value> document = ReadProto(bytes, message);
  return document ? api::ToJson(*document) : document.error().message;
}

TEST(ReadProtoTest, ReadsEveryTypeAndShape) {
  EXPECT_EQ(Read(Bytes(1, "n") + Bytes(2, Bytes(1, "t") + Varint(2, 7)) + Bytes(3, Varint(2, 1)) + Bytes(3, "") +
                 Bytes(4, "a") + Bytes(4, "") + Bytes(5, Entry("k", "v")) + Bytes(6, Bytes(1, "inline")) +
                 Bytes(7, Varint(1, 5) + Varint(2, 9)) + Bytes(8, Bytes(1, "10Mi")) + Varint(9, 0) + Varint(10, 1) +
                 Varint(11, 3)),
            R"({"name":"n","inner":{"text":"t","number":7},"inners":[{"number":1},{}],"texts":["a",""],)"
            R"("labels":{"k":"v"},"text":"inline","time":"1970-01-01T00:00:05Z","amount":"10Mi","maybe":0,)"
            R"("flag":true,"long":3})");
}

TEST(ReadProtoTest, LeavesOutZerosThatMeanNothing) {
  EXPECT_EQ(Read(""), "{}");
  EXPECT_EQ(Read(Bytes(1, "") + Bytes(7, "") + Varint(10, 0) + Varint(11, 0)), "{}");
  EXPECT_EQ(Read(Bytes(2, Bytes(1, "") + Varint(2, 0))), R"({"inner":{}})");
}

TEST(ReadProtoTest, ReadsNegativeNumbers) {
  const std::string minus_one = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(Read("\x48" + minus_one), R"({"maybe":-1})");
  EXPECT_EQ(Read("\x58" + minus_one), R"({"long":-1})");
}

TEST(ReadProtoTest, ReadsTimesBefore1970) {
  EXPECT_EQ(Read(Bytes(7, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), R"({"time":"1969-12-31T23:59:59Z"})");
  EXPECT_EQ(Read(Bytes(7, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f")),
            "Outer.time at byte 12: the time is beyond the years 1678 to 2261");
}

TEST(ReadProtoTest, SkipsUnknownFieldsOfEveryWireType) {
  EXPECT_EQ(Read(Varint(12, 1) + Bytes(13, "x") + "\x71" + "12345678" + "\x7d" + "1234" + Bytes(1, "n")),
            R"({"name":"n"})");
}

TEST(ReadProtoTest, TheLastOfSeveralCounts) {
  EXPECT_EQ(Read(Bytes(1, "a") + Bytes(1, "b")), R"({"name":"b"})");
  EXPECT_EQ(Read(Varint(11, 1) + Bytes(1, "a") + Bytes(1, "") + Varint(11, 2)), R"({"long":2})");
  EXPECT_EQ(Read(Bytes(6, Bytes(1, "a")) + Bytes(6, Bytes(1, "b"))), R"({"text":"b"})");
}

TEST(ReadProtoTest, PartsOfOneMessageAreMerged) {
  EXPECT_EQ(Read(Bytes(2, Bytes(1, "a")) + Varint(11, 1) + Bytes(2, Varint(2, 5) + Bytes(1, "b"))),
            R"({"inner":{"text":"b","number":5},"long":1})");
}

TEST(ReadProtoTest, MapsAreSortedAndHaveEveryKeyOnce) {
  EXPECT_EQ(Read(Bytes(5, Entry("b", "1")) + Bytes(5, Entry("a", "2")) + Bytes(5, Entry("b", "3")) +
                 Bytes(2, Bytes(1, "x")) + Bytes(5, Bytes(1, "c")) + Bytes(5, "")),
            R"({"labels":{"":"","a":"2","b":"3","c":""},"inner":{"text":"x"}})");
}

TEST(ReadProtoTest, TextThatIsNotUtf8IsRepairedAsInJson) {
  EXPECT_EQ(Read(Bytes(1, "a\xe2\x82")), "{\"name\":\"a\xEF\xBF\xBD\xEF\xBF\xBD\"}");
  EXPECT_EQ(Read(Bytes(1, "\xed\xa0\x80 12345678 \xe2\x82\xac")),
            "{\"name\":\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD 12345678 \xe2\x82\xac\"}");
  EXPECT_EQ(Read(Bytes(8, Bytes(1, "1\xff"))), "{\"amount\":\"1\xEF\xBF\xBD\"}");
}

TEST(ReadProtoTest, ErrorsNameFieldAndByte) {
  const std::string name = Bytes(1, "n");
  EXPECT_EQ(Read(name + "\x12\x05"
                        "ab"),
            "Outer.inner at byte 3: the bytes end in a field");
  EXPECT_EQ(Read(name + Bytes(2,
                              "\x0a\x05"
                              "ab")),
            "Outer.inner.text at byte 5: the bytes end in a field");
  EXPECT_EQ(Read(name + Bytes(6,
                              "\x0a\x05"
                              "ab")),
            "Outer.text at byte 5: the bytes end in a field");
  EXPECT_EQ(Read(name + Varint(2, 1)), "Outer.inner at byte 3: the wire type is not that of the field");
  EXPECT_EQ(Read(name + Bytes(10, "x")), "Outer.flag at byte 3: the wire type is not that of the field");
  EXPECT_EQ(Read(name + "\x60" + std::string(11, '\xff')), "Outer at byte 3: a number is longer than 10 bytes");
  EXPECT_EQ(Read("\0"s), "Outer at byte 0: not a field number");
  EXPECT_EQ(Read("\x0b"), "Outer at byte 0: not a wire type of Kubernetes");
  EXPECT_EQ(Read(Bytes(5, Varint(1, 1))), "Outer.labels at byte 2: not an entry of a map");
  EXPECT_EQ(Read(Bytes(7, Bytes(1, ""))), "Outer.time at byte 2: not a time");
  EXPECT_EQ(Read(Bytes(8, Varint(1, 1))), "Outer.amount at byte 2: not a quantity");
}

// A message that contains itself, as no message of Kubernetes that Berth reads does.
constexpr Field kRecursiveField{1, FieldType::Submessage, FieldShape::Plain, "m", nullptr};

TEST(ReadProtoTest, DepthIsBounded) {
  std::array<Field, 1> fields{kRecursiveField};
  const Message message{"M", fields};
  fields[0].message = &message;
  const auto nested = [](size_t depth) {
    std::string bytes;
    for (size_t i = 0; i < depth; ++i) bytes = Bytes(1, bytes);
    return bytes;
  };
  EXPECT_TRUE(ReadProto(nested(kMaxDepth), message).has_value());
  const Result<api::Value> too_deep = ReadProto(nested(kMaxDepth + 1), message);
  ASSERT_FALSE(too_deep.has_value());
  EXPECT_TRUE(too_deep.error().message.ends_with("at byte 64: messages are nested too deeply"));
}

}  // namespace
}  // namespace berth::kube::proto
