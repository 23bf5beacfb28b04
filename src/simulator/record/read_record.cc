// SPDX-License-Identifier: Apache-2.0
#include "api/decoder.h"
#include "api/document.h"
#include "config/fields/scalars.h"
#include "simulator/record/run_record.h"

#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

using api::FieldReader;
using api::Value;

namespace {

Result<Value> ParseLine(std::string_view line, const std::string& place) {
  BERTH_ASSIGN_OR_RETURN(std::vector<api::Document> documents, api::ReadDocuments(line, place));
  if (documents.size() != 1 || !documents.front().root.is_map()) return InvalidError("the line is not one JSON object");
  return std::move(documents.front().root);
}

Result<RecordHeader> ReadHeader(const Value& line) {
  api::DecodeErrors errors;
  FieldReader reader(line, "", errors);
  if (reader.String("kind") != kRecordKind) return InvalidError(fmt::format("expected kind {}", kRecordKind));
  if (const std::string version = reader.String("apiVersion"); version != "berth/v1alpha1") {
    return InvalidError(fmt::format("its version \"{}\" is not known here", version));
  }
  RecordHeader header;
  header.berth = reader.String("berth");
  header.scenario = reader.String("scenario");
  // Seeds use all 64 bits, so they may exceed int64.
  if (const Value* seed = reader.Raw("seed"); seed == nullptr || seed->kind() != Value::Kind::Int) {
    reader.Fail("seed", "a number is required");
  } else {
    header.seed = std::strtoull(seed->text().c_str(), nullptr, 10);
  }
  const std::optional<Timestamp> start = reader.Time("start");
  if (!start && errors.empty()) reader.Fail("start", "a time is required");
  header.start = start.value_or(Timestamp());
  const Value* config = reader.Raw("config");
  if (config == nullptr || !config->is_map()) reader.Fail("config", "a configuration is required");
  if (!errors.empty()) return InvalidError(errors.errors().front().path + ": " + errors.errors().front().message);
  header.config = *config;
  // Records of older releases do not mention gates: none was set.
  BERTH_ASSIGN_OR_RETURN(
      header.features,
      features::FeatureGates::FromFlags({{reader.String("featureGates")}, {reader.String("emulatedVersion")}, {}}));
  if (const Value* document = reader.Raw("document")) header.document = *document;
  return header;
}

Input KeyInput(FieldReader& reader, Input::Op op) {
  Input input;
  input.op = op;
  input.key = {reader.String("kind"), reader.String("namespace"), reader.String("name")};
  input.phase = reader.String("phase");
  if (input.key.kind.empty() || input.key.name.empty()) reader.Fail("name", "kind and name are required");
  return input;
}

Result<RecordedInput> ReadInput(const Value& line) {
  api::DecodeErrors errors;
  FieldReader reader(line, "", errors);
  RecordedInput recorded;
  recorded.step = static_cast<uint64_t>(reader.Int64("step").value_or(0));
  const std::optional<Duration> at = config::ReadDuration(reader, "at");
  recorded.at = at.value_or(Duration::zero());
  if (recorded.step == 0 || !at) reader.Fail("at", "step and time are required");
  if (const Value* create = reader.Raw("create")) {
    recorded.input = WriteInput(Input::Op::Create, *create);
  } else if (const Value* update = reader.Raw("update")) {
    recorded.input = WriteInput(Input::Op::Update, *update);
  } else {
    const bool is_known =
        reader.Map("delete", [&](FieldReader& key) { recorded.input = KeyInput(key, Input::Op::Delete); }) ||
        reader.Map("phase", [&](FieldReader& key) { recorded.input = KeyInput(key, Input::Op::Phase); });
    if (!is_known) reader.Fail("create", "neither create, update, delete nor phase");
  }
  if (recorded.input.key.name.empty() && errors.empty()) reader.Fail("create", "an object without a name");
  if (!errors.empty()) return InvalidError(errors.errors().front().message);
  return recorded;
}

struct Seal {
  Duration at{};
  uint64_t inputs = 0;
  uint64_t decisions = 0;
  std::string checksum;
};

Result<Seal> ReadSeal(const Value& line) {
  api::DecodeErrors errors;
  FieldReader reader(line, "", errors);
  Seal seal;
  reader.Map("end", [&](FieldReader& end) {
    seal.at = config::ReadDuration(end, "at").value_or(Duration::zero());
    seal.inputs = static_cast<uint64_t>(end.Int64("inputs").value_or(0));
    seal.decisions = static_cast<uint64_t>(end.Int64("decisions").value_or(0));
    seal.checksum = end.String("checksum");
  });
  if (!errors.empty()) return InvalidError(errors.errors().front().message);
  return seal;
}

// Reads the record line by line.
class RecordReader {
 public:
  RecordReader(std::string_view text, std::string_view source) : rest_(text), source_(source) {}

  Result<RunRecord> Read() && {
    BERTH_RETURN_IF_ERROR(ReadFirst());
    while (!rest_.empty() && !record_.end && record_.damage.empty()) {
      const std::string_view line = TakeLine();
      if (const Result<void> taken = Take(line); !taken) {
        record_.damage = fmt::format("line {} is damaged: {}", line_number_, taken.error().message);
      }
    }
    if (record_.end && !rest_.empty()) return Error{ErrorCode::Invalid, Damaged("something follows its last line")};
    if (seal_wrong_) return Error{ErrorCode::Invalid, Damaged("its checksum does not fit its content")};
    if (!record_.end && record_.damage.empty()) {
      record_.damage = fmt::format("it ends after line {}, without its last line", line_number_);
    }
    if (!record_.damage.empty()) DropUnfinishedStep();
    return std::move(record_);
  }

 private:
  std::string Damaged(std::string_view why) const { return fmt::format("{} is damaged: {}", source_, why); }

  // The next line. A last line without a newline is accepted; if it is truncated it will not parse.
  std::string_view TakeLine() {
    const size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_number_;
    return line;
  }

  Result<void> ReadFirst() {
    const std::string_view line = TakeLine();
    const auto fail = [&](const Error& error) {
      return InvalidError(fmt::format("{} is no record of a simulation: {}", source_, error.message));
    };
    const Result<Value> value = ParseLine(line, fmt::format("{}:1", source_));
    if (!value) return fail(value.error());
    Result<RecordHeader> header = ReadHeader(*value);
    if (!header) return fail(header.error());
    record_.header = *std::move(header);
    Seen(line);
    return {};
  }

  Result<void> Take(std::string_view line) {
    BERTH_ASSIGN_OR_RETURN(const Value value, ParseLine(line, fmt::format("line {}", line_number_)));
    if (const Value* decision = value.Find("decision"); decision != nullptr && decision->is_string()) {
      record_.decisions.push_back(decision->text());
      last_step_decided_ = true;
    } else if (value.Find("end") != nullptr) {
      BERTH_ASSIGN_OR_RETURN(const Seal seal, ReadSeal(value));
      seal_wrong_ = seal.checksum != checksum_.text() || seal.inputs != record_.inputs.size() ||
                    seal.decisions != record_.decisions.size();
      record_.end = seal.at;
    } else {
      BERTH_ASSIGN_OR_RETURN(RecordedInput input, ReadInput(value));
      if (!record_.inputs.empty() && input.at < record_.inputs.back().at) return InvalidError("time goes back");
      record_.inputs.push_back(std::move(input));
      last_step_decided_ = false;
    }
    Seen(line);
    return {};
  }

  void Seen(std::string_view line) {
    checksum_.Add(line);
    checksum_.Add("\n");
  }

  // Without a decision after them, the last inputs may be an incomplete step.
  void DropUnfinishedStep() {
    if (last_step_decided_ || record_.inputs.empty()) return;
    const uint64_t step = record_.inputs.back().step;
    while (!record_.inputs.empty() && record_.inputs.back().step == step) record_.inputs.pop_back();
  }

  std::string_view rest_;
  const std::string source_;
  size_t line_number_ = 0;
  RunRecord record_;
  RecordChecksum checksum_;
  bool seal_wrong_ = false;
  bool last_step_decided_ = false;
};

}  // namespace

Result<RunRecord> ReadRecord(std::string_view text, std::string_view source) {
  return RecordReader(text, source).Read();
}

Result<RunRecord> ReadRecordFile(const std::string& path) {
  BERTH_ASSIGN_OR_RETURN(const std::string text, api::ReadText(path));
  return ReadRecord(text, path);
}

}  // namespace berth::simulator
