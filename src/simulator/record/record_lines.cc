// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"
#include "api/time_text.h"
#include "config/fields/go_duration.h"
#include "simulator/record/run_record.h"

#include <fmt/format.h>

namespace berth::simulator {

using api::Value;

namespace {

std::string Quoted(std::string_view text) { return api::ToJson(Value::String(std::string(text))); }

std::string KeyMembers(const store::Key& key) {
  return fmt::format(R"("kind":{},"namespace":{},"name":{})", Quoted(key.kind), Quoted(key.namespace_),
                     Quoted(key.name));
}

}  // namespace

std::string HeaderLine(const RecordHeader& header) {
  return fmt::format(R"({{"apiVersion":"berth/v1alpha1","kind":"{}","berth":{},"scenario":{},"seed":{},"start":{},)"
                     R"("config":{},"featureGates":{},"emulatedVersion":{},"document":{}}})",
                     kRecordKind, Quoted(header.berth), Quoted(header.scenario), header.seed,
                     Quoted(api::ToRfc3339(header.start)), api::ToJson(header.config), Quoted(header.features.Text()),
                     Quoted(header.features.emulated_version().Text()), api::ToJson(header.document));
}

std::string InputLine(const RecordedInput& recorded) {
  std::string line =
      fmt::format(R"({{"step":{},"at":{},)", recorded.step, Quoted(config::FormatGoDuration(recorded.at)));
  const Input& input = recorded.input;
  switch (input.op) {
    // Documents are already JSON.
    case Input::Op::Create: return line.append(R"("create":)").append(input.document).append("}");
    case Input::Op::Update: return line.append(R"("update":)").append(input.document).append("}");
    case Input::Op::Delete: return line.append(R"("delete":{)").append(KeyMembers(input.key)).append("}}");
    case Input::Op::Phase: break;
  }
  return line + fmt::format(R"("phase":{{{},"phase":{}}}}})", KeyMembers(input.key), Quoted(input.phase));
}

std::string DecisionLine(std::string_view decision) { return fmt::format(R"({{"decision":{}}})", Quoted(decision)); }

void RecordChecksum::Add(std::string_view text) { hash_ = Fnv1a(text, hash_); }

std::string RecordChecksum::text() const { return fmt::format("{:016x}", hash_); }

std::string EndLine(Duration end, uint64_t inputs, uint64_t decisions, const RecordChecksum& checksum) {
  return fmt::format(R"({{"end":{{"at":{},"inputs":{},"decisions":{},"checksum":"{}"}}}})",
                     Quoted(config::FormatGoDuration(end)), inputs, decisions, checksum.text());
}

}  // namespace berth::simulator
