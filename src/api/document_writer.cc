// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "api/yaml_scalar.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::api {
namespace {

// Double quotes as both JSON and YAML read them.
void AppendQuoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

class JsonWriter {
 public:
  JsonWriter(std::string& out, int indent) : out_(out), indent_(indent) {}

  void Write(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::Null: out_ += "null"; break;
      case Value::Kind::Bool:
      case Value::Kind::Int:
      case Value::Kind::Float: out_ += value.text(); break;
      case Value::Kind::String: AppendQuoted(out_, value.text()); break;
      case Value::Kind::List: Enclose('[', ']', value.items(), [this](const Value& item) { Write(item); }); break;
      case Value::Kind::Map:
        Enclose('{', '}', value.members(), [this](const Value::Member& member) {
          AppendQuoted(out_, member.key);
          out_ += indent_ > 0 ? ": " : ":";
          Write(member.value);
        });
        break;
    }
  }

 private:
  void Enclose(char open, char close, const auto& children, const auto& write) {
    out_ += open;
    ++depth_;
    bool first = true;
    for (const auto& child : children) {
      if (!first) out_ += ',';
      first = false;
      NewLine();
      write(child);
    }
    --depth_;
    if (!first) NewLine();
    out_ += close;
  }

  void NewLine() {
    if (indent_ > 0) out_.append(1, '\n').append(static_cast<size_t>(indent_ * depth_), ' ');
  }

  std::string& out_;
  int indent_;
  int depth_ = 0;
};

// Whether a text, written without quotes, reads back as that same text in every place.
bool IsPlainSafe(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  const auto is_safe = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./:=+@ ()").find(c) != std::string_view::npos;
  };
  if (!std::ranges::all_of(text, is_safe)) return false;
  const std::string_view may_not_lead = "-:=@ .";
  if (may_not_lead.find(text.front()) != std::string_view::npos) return false;
  if (text.find(": ") != std::string_view::npos) return false;
  const Result<Value> meaning = ResolvePlainScalar(std::string(text), {});
  return meaning.has_value() && meaning->is_string();
}

class YamlWriter {
 public:
  explicit YamlWriter(std::string& out) : out_(out) {}

  // Writes after "key:" or "-" or at the start of the document; `indent` is the column of nested lines.
  void WriteChild(const Value& value, size_t indent, bool in_list) {
    if (value.is_map() && !value.members().empty()) {
      WriteMap(value, indent, in_list);
    } else if (value.is_list() && !value.items().empty()) {
      WriteList(value, indent, in_list);
    } else {
      out_ += ' ';
      WriteScalar(value);
      out_ += '\n';
    }
  }

  void WriteScalar(const Value& value) {
    switch (value.kind()) {
      case Value::Kind::Null: out_ += "null"; break;
      case Value::Kind::Map: out_ += "{}"; break;
      case Value::Kind::List: out_ += "[]"; break;
      case Value::Kind::String: WriteText(value.text()); break;
      case Value::Kind::Bool: out_ += value.text(); break;
      case Value::Kind::Int:
      case Value::Kind::Float: out_ += value.text() == "-0" ? "-0.0" : value.text();  // as an integer it loses its sign
    }
  }

  void WriteMap(const Value& value, size_t indent, bool in_list) {
    StartBlock(in_list);
    bool first = true;
    for (const Value::Member& member : value.members()) {
      if (!first || !in_list) out_.append(indent, ' ');
      first = false;
      constexpr size_t kLongestSimpleKey = 512;  // readers stop looking for the colon after 1024 characters
      const size_t key_start = out_.size();
      WriteText(member.key);
      if (out_.size() - key_start > kLongestSimpleKey) {
        out_.insert(key_start, "? ").append(1, '\n').append(indent, ' ');
      }
      out_ += ':';
      WriteChild(member.value, indent + 2, false);
    }
  }

  void WriteList(const Value& value, size_t indent, bool in_list) {
    // Lists under a key stand at the key's own column, as Kubernetes tools write them.
    const size_t column = in_list || indent < 2 ? indent : indent - 2;
    StartBlock(in_list);
    bool first = true;
    for (const Value& item : value.items()) {
      if (!first || !in_list) out_.append(column, ' ');
      first = false;
      out_ += '-';
      WriteChild(item, column + 2, true);
    }
  }

 private:
  // The first entry of a block inside a list stands on the line of its dash.
  void StartBlock(bool in_list) {
    if (in_list) {
      out_ += ' ';
    } else if (!out_.empty()) {
      out_ += '\n';
    }
  }

  void WriteText(std::string_view text) {
    if (IsPlainSafe(text)) {
      out_ += text;
    } else {
      AppendQuoted(out_, text);
    }
  }

  std::string& out_;
};

}  // namespace

std::string ToJson(const Value& value, int indent) {
  std::string out;
  JsonWriter(out, indent).Write(value);
  return out;
}

std::string ToYaml(const Value& value) {
  std::string out;
  YamlWriter writer(out);
  if (value.is_map() && !value.members().empty()) {
    writer.WriteMap(value, 0, false);
  } else if (value.is_list() && !value.items().empty()) {
    writer.WriteList(value, 0, false);
  } else {
    writer.WriteScalar(value);
    out += '\n';
  }
  return out;
}

}  // namespace berth::api
