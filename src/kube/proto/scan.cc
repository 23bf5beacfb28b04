// SPDX-License-Identifier: Apache-2.0
#include "kube/proto/scan.h"

#include <protozero/pbf_reader.hpp>

#include <fmt/format.h>

namespace berth::kube::proto {

Result<void> ScanFields(std::string_view message, std::string_view name,
                        const std::function<Result<void>(const WireField&)>& visit) {
  protozero::pbf_reader reader(message.data(), message.size());
  size_t start = 0;
  try {
    while (reader.next()) {
      WireField field;
      field.number = reader.tag();
      field.is_bytes = reader.wire_type() == protozero::pbf_wire_type::length_delimited;
      if (field.is_bytes) {
        const protozero::data_view bytes = reader.get_view();
        field.bytes = {bytes.data(), bytes.size()};
      } else if (reader.wire_type() == protozero::pbf_wire_type::varint) {
        field.integer = reader.get_uint64();
      } else {
        reader.skip();
      }
      const size_t end = message.size() - reader.length();
      field.whole = message.substr(start, end - start);
      BERTH_RETURN_IF_ERROR(visit(field));
      start = end;
    }
  } catch (const protozero::exception& refusal) {
    return InvalidError(fmt::format("{} at byte {}: {}", name, start, WhatIsWrong(refusal)));
  }
  return {};
}

std::string_view WhatIsWrong(const std::exception& refusal) {
  if (dynamic_cast<const protozero::end_of_buffer_exception*>(&refusal) != nullptr) return "the bytes end in a field";
  if (dynamic_cast<const protozero::varint_too_long_exception*>(&refusal) != nullptr) {
    return "a number is longer than 10 bytes";
  }
  if (dynamic_cast<const protozero::invalid_tag_exception*>(&refusal) != nullptr) return "not a field number";
  return "not a wire type of Kubernetes";
}

}  // namespace berth::kube::proto
