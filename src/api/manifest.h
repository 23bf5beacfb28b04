// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/document.h"
#include "api/object.h"
#include "base/result.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace berth::api {

// An object with the document it came from, kept whole.
struct Manifest {
  Object object;
  Value document;
  std::string source;
};

// The objects of several files, in the order they were read.
struct Manifests {
  std::vector<Manifest> objects;
  std::map<std::string, size_t> ignored;  // kinds that scheduling does not read, with how many of each
};

// Reads objects from files ("-" is standard input) of one or many documents; List kinds are unfolded. All or nothing:
// the error names every malformed object (file, line, field) and every object that appears twice.
Result<Manifests> LoadManifests(std::span<const std::string> paths);
// The same for documents that were read already; `problems` are what was wrong so far, and come first in the error.
// Objects of these custom kinds are read, too.
Result<Manifests> ParseManifests(std::vector<Document> documents, std::vector<std::string> problems = {},
                                 std::span<const std::string> custom_kinds = {});

}  // namespace berth::api
