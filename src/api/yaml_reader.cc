// SPDX-License-Identifier: Apache-2.0
#include "api/yaml_reader.h"

#include "api/source_text.h"
#include "api/yaml_scalar.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace berth::api {
namespace {

// Leaves the library's parser from within an event; never leaves this file.
struct Stop {
  Position at;
  std::string message;
};

Position At(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {static_cast<uint32_t>(mark.line + 1), static_cast<uint32_t>(mark.column + 1)};
}

struct Extent {
  size_t nodes = 0;
  size_t depth = 0;
};

Extent Measure(const Value& value) {
  Extent all{1, value.is_map() || value.is_list() ? size_t{1} : size_t{0}};
  const auto include = [&all](const Value& child) {
    const Extent part = Measure(child);
    all.nodes += part.nodes;
    all.depth = std::max(all.depth, part.depth + 1);
  };
  for (const Value& item : value.items()) include(item);
  for (const Value::Member& member : value.members()) include(member.value);
  return all;
}

// Builds one Value from the events of one document.
class Handler final : public YAML::EventHandler {
 public:
  Handler(std::string_view text, const ReadLimits& limits) : text_(text), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    CheckSeparated(mark);
    frames_.clear();
    anchors_.clear();
    root_ = Value();
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Finish(Value::Null(At(mark)), anchor); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) throw Stop{At(mark), "the alias stands inside the node it refers to"};
    const Extent extent = Measure(it->second);
    Count(extent.nodes, At(mark));
    if (frames_.size() + extent.depth > limits_.max_depth) StopTooDeep(At(mark));
    Add(it->second, At(mark), /*is_merge=*/false);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const Position at = At(mark);
    const bool plain = tag == "?" || tag.empty();
    if (plain && text == "<<" && expects_key()) {
      Add(Value::String(text, at), at, /*is_merge=*/true);
      return;
    }
    Result<Value> value = plain        ? ResolvePlainScalar(text, at)
                          : tag == "!" ? Result<Value>(Value::String(text, at))
                                       : ResolveTaggedScalar(tag, text, at);
    if (!value) throw Stop{at, value.error().message};
    Finish(*std::move(value), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(Value::List({}, At(mark)), anchor);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(Value::Map({}, At(mark)), anchor);
  }
  void OnMapEnd() override {
    if (const Value::Member* twice = FindDuplicateKey(frames_.back().value.members())) {
      throw Stop{twice->key_position, DuplicateKeyMessage(twice->key)};
    }
    Close();
  }

  Value Take() { return std::move(root_); }

 private:
  struct Frame {
    Value value;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    bool is_merge = false;
    std::string key;
    Position key_position;
  };

  // The library takes whatever follows a document for another one, even when it cannot step over it. A further document
  // begins with "---" or comes after "...".
  void CheckSeparated(const YAML::Mark& mark) {
    const size_t start = std::min(static_cast<size_t>(std::max(mark.pos, 0)), text_.size());
    const bool marked = text_.substr(start).starts_with("---");
    if (document_start_ && !marked) {
      const std::string_view before = text_.substr(*document_start_, start - std::min(start, *document_start_));
      if (before.find("\n...") == std::string_view::npos) {
        throw Stop{At(mark), "invalid YAML: unexpected text after the end of the document"};
      }
    }
    document_start_ = start;
  }

  bool expects_key() const { return !frames_.empty() && frames_.back().value.is_map() && !frames_.back().has_key; }

  [[noreturn]] void StopTooDeep(Position at) const {
    throw Stop{at, fmt::format("nested more than {} levels deep", limits_.max_depth)};
  }

  void Count(size_t nodes, Position at) {
    copied_ += nodes;
    if (copied_ > limits_.max_alias_nodes) {
      throw Stop{at, fmt::format("aliases add more than {} nodes", limits_.max_alias_nodes)};
    }
  }

  void Open(Value value, YAML::anchor_t anchor) {
    if (expects_key()) throw Stop{value.position(), fmt::format("a {} cannot be a key", KindName(value.kind()))};
    if (frames_.size() >= limits_.max_depth) StopTooDeep(value.position());
    open_anchors_ += anchor != 0 ? 1 : 0;
    frames_.push_back({std::move(value), anchor, false, false, {}, {}});
  }

  void Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    open_anchors_ -= frame.anchor != 0 ? 1 : 0;
    Finish(std::move(frame.value), frame.anchor);
  }

  void Finish(Value value, YAML::anchor_t anchor) {
    if (anchor != 0) {
      // Anchors within anchors are kept once per level, which hostile input could drive to any size.
      if (open_anchors_ > 0) Count(Measure(value).nodes, value.position());
      anchors_.insert_or_assign(anchor, value);
    }
    const Position at = value.position();
    Add(std::move(value), at, /*is_merge=*/false);
  }

  void Add(Value value, Position at, bool is_merge) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.value.is_list()) {
      frame.value.mutable_items().push_back(std::move(value));
    } else if (!frame.has_key) {
      if (value.is_null() || value.is_map() || value.is_list()) {
        throw Stop{at, fmt::format("a {} cannot be a key", KindName(value.kind()))};
      }
      frame.key = value.text();
      frame.key_position = at;
      frame.has_key = true;
      frame.is_merge = is_merge;
    } else {
      frame.has_key = false;
      if (frame.is_merge) {
        Merge(frame, value, at);
      } else {
        frame.value.mutable_members().push_back({std::move(frame.key), std::move(value), frame.key_position});
      }
    }
  }

  // Merged keys take part in the check for keys that are set twice, as upstream's strict reader has it.
  static void Merge(Frame& frame, const Value& value, Position at) {
    if (value.is_map()) {
      for (const Value::Member& member : value.members()) {
        frame.value.mutable_members().push_back({member.key, member.value, frame.key_position});
      }
      return;
    }
    if (!value.is_list()) throw Stop{at, "a merge needs a map or a list of maps"};
    for (const Value& item : value.items()) {
      if (!item.is_map()) throw Stop{at, "a merge needs a map or a list of maps"};
      Merge(frame, item, at);
    }
  }

  std::string_view text_;
  const ReadLimits& limits_;
  std::optional<size_t> document_start_;  // of the one read last
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Value> anchors_;
  size_t open_anchors_ = 0;
  size_t copied_ = 0;
  Value root_;
};

// The library takes the end of the text for the end of a quoted scalar that was never closed. A document end marker
// cannot stand inside quotes: with one after the last line such a scalar is an error. A last line without a line break
// needs no marker, and must not get one since a line break would become part of a block scalar.
std::string WithEndMarker(std::string_view text) {
  std::string result(text);
  if (text.ends_with('\n')) result += "...\n";
  return result;
}

}  // namespace

Result<std::vector<Value>> ReadYaml(std::string_view text, std::string_view source, const ReadLimits& limits) {
  std::vector<Value> values;
  try {
    const std::string marked = WithEndMarker(text);
    std::istringstream stream(marked);
    YAML::Parser parser(stream);
    Handler handler(marked, limits);
    while (parser.HandleNextDocument(handler)) {
      Value value = handler.Take();
      if (!value.is_null()) values.push_back(std::move(value));
    }
  } catch (const Stop& stop) {
    return ErrorAt(source, stop.at, stop.message);
  } catch (const YAML::Exception& error) {
    const Position end = LineCounter(text).At(text.size());
    const bool beyond = !error.mark.is_null() && At(error.mark).line >= end.line && text.ends_with('\n');
    if (beyond) return ErrorAt(source, end, "invalid YAML: the text ends too early");
    return ErrorAt(source, At(error.mark), fmt::format("invalid YAML: {}", error.msg));
  }
  return values;
}

}  // namespace berth::api
