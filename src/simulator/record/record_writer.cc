// SPDX-License-Identifier: Apache-2.0
#include "simulator/record/record_writer.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace berth::simulator {

RecordWriter::RecordWriter(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".tmp"), file_(temporary_, std::ios::binary | std::ios::trunc) {}

Result<std::unique_ptr<RecordWriter>> RecordWriter::Create(const std::string& path, const RecordHeader& header) {
  // The finished record takes the place of what is there: never of a device, a pipe, a folder or a link.
  std::error_code unknown;
  std::filesystem::path target = std::filesystem::weakly_canonical(path, unknown);
  if (unknown) target = path;
  if (std::filesystem::exists(target, unknown) && !std::filesystem::is_regular_file(target, unknown)) {
    return InvalidError(fmt::format("cannot record to {}: it is not a regular file", path));
  }
  std::unique_ptr<RecordWriter> writer(new RecordWriter(target.string()));
  if (!writer->file_) return writer->Failed("create");
  writer->WriteLine(HeaderLine(header));
  BERTH_RETURN_IF_ERROR(writer->Flush());
  return writer;
}

void RecordWriter::Add(const RecordedInput& input) {
  ++inputs_;
  WriteLine(InputLine(input));
}

void RecordWriter::AddDecision(std::string_view decision) {
  ++decisions_;
  WriteLine(DecisionLine(decision));
}

void RecordWriter::WriteLine(std::string_view line) {
  file_.write(line.data(), static_cast<std::streamsize>(line.size())).put('\n');
  checksum_.Add(line);
  checksum_.Add("\n");
}

Error RecordWriter::Failed(std::string_view what) const {
  return {ErrorCode::Unavailable, fmt::format("cannot {} the record {}: {}", what, temporary_, std::strerror(errno))};
}

Result<void> RecordWriter::Flush() {
  if (!file_.flush()) return Failed("write");
  return {};
}

Result<void> RecordWriter::Finish(Duration end) {
  const std::string line = EndLine(end, inputs_, decisions_, checksum_);
  WriteLine(line);
  file_.close();
  if (!file_) return Failed("write");
  std::error_code failed;
  std::filesystem::rename(temporary_, path_, failed);
  if (!failed) return {};
  return Error{ErrorCode::Unavailable,
               fmt::format("cannot rename the record {} to {}: {}", temporary_, path_, failed.message())};
}

}  // namespace berth::simulator
