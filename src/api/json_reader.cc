// SPDX-License-Identifier: Apache-2.0
#include "api/json_reader.h"

#include "api/source_text.h"

#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace berth::api {
namespace {

// Walks over the text and leaves its place where the handler can see it: the parser keeps its own copy.
class TrackingIterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackingIterator() = default;
  TrackingIterator(const char* at, const char** place) : at_(at), place_(place) {}

  reference operator*() const { return *at_; }
  TrackingIterator& operator++() {
    *place_ = ++at_;
    return *this;
  }
  TrackingIterator operator++(int) {
    TrackingIterator before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const TrackingIterator& a, const TrackingIterator& b) { return a.at_ == b.at_; }

 private:
  const char* at_ = nullptr;
  const char** place_ = nullptr;
};

bool IsJsonBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// Builds one Value from the parser's events. The parser tells no positions, but the place it has read to is known, and
// between the end of one token and the start of the next lie only blanks, commas and colons.
class Handler {
 public:
  using number_integer_t = nlohmann::json::number_integer_t;
  using number_unsigned_t = nlohmann::json::number_unsigned_t;
  using number_float_t = nlohmann::json::number_float_t;
  using string_t = nlohmann::json::string_t;
  using binary_t = nlohmann::json::binary_t;

  Handler(std::string_view text, size_t max_depth) : text_(text), lines_(text), max_depth_(max_depth) {}

  bool null() { return Add(Value::Null(Token())); }
  bool boolean(bool value) { return Add(Value::Bool(value, Token())); }
  bool number_integer(number_integer_t value) {
    return AddNumber(Value::Kind::Int, value == 0 ? "-0" : std::to_string(value));  // a plain 0 comes unsigned
  }
  bool number_unsigned(number_unsigned_t value) { return AddNumber(Value::Kind::Int, std::to_string(value)); }
  bool number_float(number_float_t /*value*/, const string_t& spelling) {
    // Whole numbers beyond 64 bits come as floats too.
    const bool whole = spelling.find_first_of(".eE") == string_t::npos;
    return AddNumber(whole ? Value::Kind::Int : Value::Kind::Float, spelling);
  }
  bool string(string_t& text) {
    const Position at = Token();
    return Add(Value::String(std::move(text), at));
  }
  bool binary(binary_t& /*value*/) { return false; }  // JSON text has none

  bool start_object(size_t /*size*/) { return Open(Value::Map({}, Token())); }
  bool key(string_t& key) {
    frames_.back().key_position = Token();
    frames_.back().key = std::move(key);
    return true;
  }
  bool end_object() {
    if (const Value::Member* twice = FindDuplicateKey(frames_.back().value.members())) {
      return Fail(twice->key_position, DuplicateKeyMessage(twice->key));
    }
    return Close();
  }
  bool start_array(size_t /*size*/) { return Open(Value::List({}, Token())); }
  bool end_array() { return Close(); }

  bool parse_error(size_t /*position*/, const std::string& /*token*/, const nlohmann::json::exception& error) {
    // The library puts its own name and place first: "[…] parse error at line 1, column 2: what".
    std::string_view what = error.what();
    const size_t place = what.find("column ");
    const size_t colon = what.find(": ", place == std::string_view::npos ? 0 : place);
    if (colon != std::string_view::npos) what.remove_prefix(colon + 2);
    // The byte read last is to blame, unless the text ended.
    const bool ended = what.find("end of input") != std::string_view::npos ||
                       what.find("missing closing quote") != std::string_view::npos;
    return Fail(lines_.At(ended ? offset() : offset() - 1), fmt::format("invalid JSON: {}", what));
  }

  const char** place() { return &place_; }
  void Begin(size_t offset) {
    place_ = text_.data() + offset;
    token_end_ = offset;
  }
  size_t token_end() const { return token_end_; }
  const std::string& error() const { return error_; }
  Position error_position() const { return error_position_; }
  Position At(size_t offset) { return lines_.At(offset); }
  Value Take() { return std::move(root_); }

 private:
  struct Frame {
    Value value;
    std::string key;
    Position key_position;
  };

  size_t offset() const { return static_cast<size_t>(place_ - text_.data()); }

  size_t TokenStart() const {
    size_t at = token_end_;
    while (IsJsonBlank(text_[at]) || text_[at] == ',' || text_[at] == ':') ++at;
    return at;
  }

  // Steps over the token the parser has just read to its end.
  Position Token() {
    const Position at = lines_.At(TokenStart());
    token_end_ = offset();
    return at;
  }

  // The parser reads one byte beyond a number, so its end follows from its spelling.
  bool AddNumber(Value::Kind kind, std::string spelling) {
    const size_t start = TokenStart();
    token_end_ = start + spelling.size();
    return Add(Value::Number(kind, std::move(spelling), lines_.At(start)));
  }

  bool Open(Value value) {
    if (frames_.size() >= max_depth_) {
      return Fail(value.position(), fmt::format("nested more than {} levels deep", max_depth_));
    }
    frames_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool Close() {
    token_end_ = offset();
    Value value = std::move(frames_.back().value);
    frames_.pop_back();
    return Add(std::move(value));
  }

  bool Add(Value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
    } else if (Frame& frame = frames_.back(); frame.value.is_map()) {
      frame.value.mutable_members().push_back({std::move(frame.key), std::move(value), frame.key_position});
    } else {
      frame.value.mutable_items().push_back(std::move(value));
    }
    return true;
  }

  bool Fail(Position at, std::string message) {
    error_position_ = at;
    error_ = std::move(message);
    return false;
  }

  std::string_view text_;
  LineCounter lines_;
  size_t max_depth_;
  const char* place_ = nullptr;
  size_t token_end_ = 0;
  std::vector<Frame> frames_;
  Value root_;
  std::string error_;
  Position error_position_;
};

}  // namespace

Result<std::vector<Value>> ReadJson(std::string_view text, std::string_view source, const ReadLimits& limits) {
  std::vector<Value> values;
  Handler handler(text, limits.max_depth);
  const auto skip_blanks = [text](size_t at) {
    while (at < text.size() && IsJsonBlank(text[at])) ++at;
    return at;
  };
  try {
    for (size_t at = skip_blanks(0); at < text.size(); at = skip_blanks(handler.token_end())) {
      handler.Begin(at);
      const TrackingIterator begin(text.data() + at, handler.place());
      const TrackingIterator end(text.data() + text.size(), handler.place());
      if (!nlohmann::json::sax_parse(begin, end, &handler, nlohmann::json::input_format_t::json, /*strict=*/false)) {
        return ErrorAt(source, handler.error_position(), handler.error());
      }
      values.push_back(handler.Take());
      const size_t next = handler.token_end();
      const bool is_scalar = !values.back().is_map() && !values.back().is_list();
      if (is_scalar && next < text.size() && !IsJsonBlank(text[next])) {
        return ErrorAt(source, handler.At(next), "invalid JSON: values must be apart");
      }
    }
  } catch (const nlohmann::json::exception& error) {
    return ErrorAt(source, handler.At(handler.token_end()), error.what());
  }
  return values;
}

}  // namespace berth::api
