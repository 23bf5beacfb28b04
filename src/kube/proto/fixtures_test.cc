// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "api/encode.h"
#include "api/object.h"
#include "kube/proto/envelope.h"
#include "kube/proto/frame_splitter.h"
#include "kube/proto/pod_spec.h"
#include "kube/proto/read_proto.h"
#include "kube/proto/schema.h"
#include "kube/proto/test_fixtures.h"

#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace berth::kube::proto {
namespace {

using api::Value;

// What the decoders make of a document: the object, or what is wrong with it.
std::string Decoded(const Value& document) {
  api::DecodeErrors errors;
  const api::Object object = api::DecodeObject(document, errors);
  std::string text;
  for (const api::DecodeError& error : errors.errors()) text += fmt::format("{}: {}\n", error.path, error.message);
  return errors.empty() ? api::ToJson(api::Encode(object), 1) : text;
}

// Where `part` has something that `whole` has not, or has otherwise; empty when there is no such place.
std::string FindDifference(const Value& part, const Value* whole, const std::string& path) {
  if (whole == nullptr) return path + " is not in JSON";
  if (part.kind() != whole->kind() || part.text() != whole->text()) return path + " differs";
  if (part.items().size() != whole->items().size()) return path + " has another length";
  std::string difference;
  for (size_t i = 0; i < part.items().size() && difference.empty(); ++i) {
    difference = FindDifference(part.items()[i], &whole->items()[i], fmt::format("{}[{}]", path, i));
  }
  for (const Value::Member& member : part.members()) {
    if (difference.empty()) difference = FindDifference(member.value, whole->Find(member.key), path + "." + member.key);
  }
  return difference;
}

TEST(ProtoFixturesTest, ObjectsDecodeAsFromJson) {
  std::set<std::string> kinds;
  size_t refused = 0;
  const std::vector<Fixture> fixtures = ReadFixtures("object");
  for (const Fixture& fixture : fixtures) {
    const Result<Value> document = ReadObject(fixture.proto);
    ASSERT_TRUE(document.has_value()) << fixture.name << ": " << document.error().message;
    ASSERT_EQ(FindDifference(*document, &fixture.json, ""), "") << fixture.name;
    const std::string kind = fixture.json.Find("kind")->text();
    kinds.insert(kind);
    if (kind == "Status") continue;
    const std::string decoded = Decoded(*document);
    ASSERT_EQ(decoded, Decoded(fixture.json)) << fixture.name;
    if (!decoded.starts_with('{')) ++refused;
  }
  EXPECT_EQ(kinds.size(), api::kKinds.size() + 1);
  EXPECT_LT(refused, fixtures.size() / 2);
  fmt::print("{} objects, of which decoding refuses {} alike\n", fixtures.size(), refused);
}

// Notes the fields of a message that its document has.
void NoteFields(const Message& message, const Value& document, std::set<const Field*>& seen) {
  for (const Field& field : message.fields) {
    if (field.type == FieldType::Inline) NoteFields(*field.message, document, seen);
    const Value* value = document.Find(field.name);
    if (value == nullptr) continue;
    seen.insert(&field);
    if (field.message == nullptr) continue;
    if (field.shape == FieldShape::Plain) NoteFields(*field.message, *value, seen);
    for (const Value& item : value->items()) NoteFields(*field.message, item, seen);
  }
}

void FindUnseen(const Message& message, const std::set<const Field*>& seen, std::set<std::string>& unseen) {
  for (const Field& field : message.fields) {
    if (field.type != FieldType::Inline && !seen.contains(&field))
      unseen.insert(fmt::format("{}.{}", message.name, field.name));
    if (field.message != nullptr) FindUnseen(*field.message, seen, unseen);
  }
}

TEST(ProtoFixturesTest, EveryFieldIsInSomeObject) {
  std::set<const Field*> seen;
  std::set<std::string> unseen;
  for (const Fixture& fixture : ReadFixtures("object")) {
    const std::string kind = fixture.json.Find("kind")->text();
    NoteFields(kind == "Status" ? StatusMessage() : *FindMessage(kind), *ReadObject(fixture.proto), seen);
  }
  FindUnseen(StatusMessage(), seen, unseen);
  for (const api::KindInfo& kind : api::kKinds) FindUnseen(*FindMessage(kind.name), seen, unseen);
  EXPECT_EQ(unseen, std::set<std::string>());
}

TEST(ProtoFixturesTest, StoredPodsDecodeAsFromJson) {
  const auto decoded = [](const Value& document) {
    api::DecodeErrors errors;
    return api::ToJson(api::Encode(std::make_shared<const api::Pod>(api::DecodeStoredPod(document, errors))), 1);
  };
  for (const Fixture& fixture : ReadFixtures("object")) {
    if (fixture.json.Find("kind")->text() != "Pod") continue;
    ASSERT_EQ(decoded(*ReadObject(fixture.proto)), decoded(fixture.json)) << fixture.name;
  }
}

TEST(ProtoFixturesTest, SpecsAreCutAtTheNameOfTheNode) {
  for (const Fixture& fixture : ReadFixtures("object")) {
    if (fixture.json.Find("kind")->text() != "Pod") continue;
    const std::string_view pod = OpenEnvelope(fixture.proto)->message;
    const Result<PodSpecBytes> spec = FindPodSpec(pod);
    ASSERT_TRUE(spec.has_value()) << fixture.name << ": " << spec.error().message;
    const Value* name = fixture.json.Find("spec")->Find("nodeName");
    const size_t cut = spec->whole.size() - spec->before.size() - spec->after.size();
    ASSERT_EQ(cut, spec->node_name.size() + 2) << fixture.name;
    if (fixture.name.starts_with("random")) continue;  // JSON may have repaired the name
    ASSERT_EQ(spec->node_name, name == nullptr ? "" : name->text()) << fixture.name;
    const Result<Value> rest = ReadProto(pod, PodApartFromSpec());
    ASSERT_EQ(FindDifference(*rest, &fixture.json, ""), "") << fixture.name;
    ASSERT_EQ(rest->Find("spec")->members().size(), name == nullptr ? 0U : 1U) << fixture.name;
  }
}

TEST(ProtoFixturesTest, ListsAreReadItemByItem) {
  for (const Fixture& fixture : ReadFixtures("list")) {
    const Result<Envelope> envelope = OpenEnvelope(fixture.proto);
    ASSERT_TRUE(envelope.has_value()) << envelope.error().message;
    EXPECT_EQ(envelope->kind, "PodList");
    std::vector<Value> items;
    const Result<ListMeta> meta = ReadList(envelope->message, [&](std::string_view item) -> Result<void> {
      items.push_back(*ReadProto(item, MessageOf<api::Pod>()));
      return {};
    });
    ASSERT_TRUE(meta.has_value()) << meta.error().message;
    EXPECT_EQ(meta->resource_version, "4711");
    EXPECT_EQ(meta->continue_token, "eyJ2IjoibWV0YSJ9");
    EXPECT_EQ(meta->remaining_items, 1'234'567'890'123);
    ASSERT_EQ(items.size(), 3U);
    EXPECT_EQ(FindDifference(Value::List(items), fixture.json.Find("items"), "items"), "");
    EXPECT_EQ(items.at(2).Find("metadata")->Find("name")->text(), "c");
  }
}

TEST(ProtoFixturesTest, WatchesAreReadEventByEvent) {
  for (const Fixture& fixture : ReadFixtures("watch")) {
    FrameSplitter splitter;
    size_t place = 0;
    const Result<void> taken = splitter.Take(fixture.proto, [&](std::string_view frame) -> Result<void> {
      const Value& wanted = fixture.json.items().at(place++);
      BERTH_ASSIGN_OR_RETURN(const WatchEvent event, ReadWatchEvent(frame));
      EXPECT_EQ(event.type, wanted.Find("type")->text());
      BERTH_ASSIGN_OR_RETURN(const Value object, ReadObject(event.object));
      EXPECT_EQ(FindDifference(object, wanted.Find("object"), "object"), "");
      return {};
    });
    ASSERT_TRUE(taken.has_value()) << taken.error().message;
    EXPECT_EQ(place, fixture.json.items().size());
    EXPECT_EQ(place, 5U);
    EXPECT_TRUE(splitter.at_boundary());
  }
}

// Only the last fields of the envelope, which are empty, may be missing.
TEST(ProtoFixturesTest, ObjectsCutAnywhereAreRefused) {
  for (const Fixture& fixture : ReadFixtures("object")) {
    if (!fixture.name.starts_with("example")) continue;
    const std::string whole = api::ToJson(*ReadObject(fixture.proto));
    for (size_t size = 0; size < fixture.proto.size(); ++size) {
      // A copy of its own: reading past its end is then visible to the sanitizers.
      const std::string cut(fixture.proto.data(), size);
      const Result<Value> document = ReadObject(cut);
      ASSERT_TRUE(!document.has_value() || api::ToJson(*document) == whole) << fixture.name << " cut at " << size;
    }
  }
}

}  // namespace
}  // namespace berth::kube::proto
