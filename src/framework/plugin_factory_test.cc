// SPDX-License-Identifier: Apache-2.0
#include "framework/function_entry.h"
#include "framework/registry.h"
#include "support/test_bed.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

struct DoorArgs final : TypedArgs {
  std::string colour = "green";
  void Decode(api::FieldReader&) override {}
  void Encode(api::Value&) const override {}
};

// Writes down what it is built with.
struct Door : PreEnqueuePlugin {
  virtual ~Door() = default;
  Status PreEnqueue(const api::Pod&) const override { return Status::Unresolvable(built_with); }
  std::string built_with = "nothing";
};
struct TypedDoor final : Door {
  using Args = DoorArgs;
  TypedDoor(const DoorArgs& args, Handle&) { built_with = args.colour; }
};
struct CreatedDoor final : Door {
  using Args = DoorArgs;
  static Result<std::shared_ptr<CreatedDoor>> Create(const DoorArgs& args, Handle&) {
    if (args.colour == "glass") return InvalidError("too fragile");
    return std::make_shared<CreatedDoor>();
  }
};
struct RawDoor final : Door {
  RawDoor(const RawArgs* args, Handle&) { built_with = args == nullptr ? "no document" : args->value.text(); }
};
struct PlainDoor final : Door {};

// What the plugin says it was built with, or the error.
std::string Built(const PluginEntry& entry, const PluginArgs* args) {
  test::TestBed bed;
  runtime::Profile& handle = bed.AddProfile(test::PlanOf(Registry()), Registry());
  const Result<PluginInstance> plugin = entry.make(args, handle);
  return plugin ? plugin->pre_enqueue->PreEnqueue(api::Pod()).Message() : plugin.error().message;
}
template <typename P>
std::string Built(const PluginArgs* args) {
  return Built(Entry<P>("Door"), args);
}

TEST(PluginFactory, APluginIsBuiltFromWhatItDeclares) {
  DoorArgs red;
  red.colour = "red";
  RawArgs document;
  document.value = api::Value::String("as written");
  EXPECT_EQ(Built<TypedDoor>(&red), "red");
  EXPECT_EQ(Built<TypedDoor>(nullptr), "green");
  EXPECT_EQ(Built<RawDoor>(&document), "as written");
  EXPECT_EQ(Built<RawDoor>(nullptr), "no document");
  EXPECT_EQ(Built<PlainDoor>(nullptr), "nothing");
}

TEST(PluginFactory, CreateMayFail) {
  DoorArgs glass;
  glass.colour = "glass";
  EXPECT_EQ(Built<CreatedDoor>(&glass), "too fragile");
  EXPECT_EQ(Built<CreatedDoor>(nullptr), "nothing");
}

TEST(PluginFactory, ArgumentsOfAnotherKindAreNeverTheDefaults) {
  const RawArgs document;
  const DoorArgs typed;
  EXPECT_EQ(Built<TypedDoor>(&document), "args for plugin Door were not of type DoorArgs");
  EXPECT_EQ(Built<RawDoor>(&typed), "args for plugin Door were not of type DoorArgs");
}

TEST(PluginFactory, AFunctionMakesThePlugin) {
  DoorArgs red;
  red.colour = "red";
  RawArgs document;
  document.value = api::Value::String("as written");
  const PluginEntry typed = EntryMadeBy("Door", [paint = std::string(", fresh")](const DoorArgs& args, Handle& handle) {
    auto door = std::make_shared<TypedDoor>(args, handle);
    door->built_with += paint;
    return door;
  });
  EXPECT_EQ(Built(typed, &red), "red, fresh");
  EXPECT_EQ(Built(typed, nullptr), "green, fresh");
  EXPECT_EQ(Built(typed, &document), "args for plugin Door were not of type DoorArgs");
  EXPECT_EQ(typed.args_form, ArgsForm::Typed);
  EXPECT_TRUE(typed.new_args);
  EXPECT_TRUE(typed.points.Has(ExtensionPoint::PreEnqueue));

  const PluginEntry raw =
      EntryMadeBy("Door", [](const RawArgs* args, Handle& handle) -> Result<std::shared_ptr<RawDoor>> {
        if (args == nullptr) return InvalidError("no document");
        return std::make_shared<RawDoor>(args, handle);
      });
  EXPECT_EQ(raw.args_form, ArgsForm::Raw);
  EXPECT_EQ(Built(raw, &document), "as written");
  EXPECT_EQ(Built(raw, nullptr), "no document");

  const PluginEntry plain = EntryMadeBy("Door", [] { return std::make_unique<PlainDoor>(); });
  EXPECT_EQ(plain.args_form, ArgsForm::None);
  EXPECT_EQ(Built(plain, &document), "nothing");
  const PluginEntry none = EntryMadeBy("Door", [](Handle&) { return std::shared_ptr<PlainDoor>(); });
  EXPECT_EQ(Built(none, nullptr), "the factory of plugin \"Door\" made none");
}

TEST(PluginFactory, TheEntryTellsTheFormOfTheArguments) {
  EXPECT_EQ(Entry<TypedDoor>("Door").args_form, ArgsForm::Typed);
  EXPECT_EQ(Entry<CreatedDoor>("Door").args_form, ArgsForm::Typed);
  EXPECT_EQ(Entry<RawDoor>("Door").args_form, ArgsForm::Raw);
  EXPECT_EQ(Entry<PlainDoor>("Door").args_form, ArgsForm::None);
  EXPECT_TRUE(Entry<TypedDoor>("Door").new_args);
  EXPECT_FALSE(Entry<PlainDoor>("Door").new_args);
}

}  // namespace
}  // namespace berth::framework
