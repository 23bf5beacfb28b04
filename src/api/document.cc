// SPDX-License-Identifier: Apache-2.0
#include "api/document.h"

#include "api/json_reader.h"
#include "api/source_text.h"
#include "api/yaml_reader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace berth::api {
namespace {

bool LooksLikeJson(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

Error TooLarge(std::string_view source, const ReadLimits& limits) {
  return InvalidError(fmt::format("{}: larger than {} bytes", source, limits.max_bytes));
}

Result<std::string> ReadAll(std::FILE* file, const std::string& path, const ReadLimits& limits) {
  constexpr size_t kChunk = size_t{1} << 18U;
  std::string text;
  for (;;) {
    const size_t size = text.size();
    text.resize(size + kChunk);
    const size_t got = std::fread(text.data() + size, 1, kChunk, file);
    text.resize(size + got);
    if (text.size() > limits.max_bytes) return TooLarge(path, limits);
    if (got == kChunk) continue;
    if (std::ferror(file) != 0) return InvalidError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
    return text;
  }
}

}  // namespace

Result<std::vector<Document>> ReadDocuments(std::string_view text, std::string_view source, const ReadLimits& limits) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.size() > limits.max_bytes) return TooLarge(source, limits);
  BERTH_RETURN_IF_ERROR(CheckText(text, source));
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  BERTH_ASSIGN_OR_RETURN(std::vector<Value> values,
                         LooksLikeJson(text) ? ReadJson(text, source, limits) : ReadYaml(text, source, limits));
  std::vector<Document> documents;
  documents.reserve(values.size());
  for (Value& value : values) documents.push_back({std::string(source), std::move(value)});
  return documents;
}

Result<std::string> ReadText(const std::string& path, const ReadLimits& limits) {
  if (path == "-") return ReadAll(stdin, path, limits);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (file == nullptr) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Unavailable;
    return Error{code, fmt::format("cannot open {}: {}", path, std::strerror(errno))};
  }
  return ReadAll(file.get(), path, limits);
}

Result<std::vector<Document>> ReadDocumentsFromFile(const std::string& path, const ReadLimits& limits) {
  BERTH_ASSIGN_OR_RETURN(const std::string text, ReadText(path, limits));
  return ReadDocuments(text, path, limits);
}

}  // namespace berth::api
