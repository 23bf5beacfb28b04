// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>

namespace coarse {

// `coarse-filter-scheduler rates [NODES]`: how often a Bloom filter leaves a node that lacks a label, by size.
void PrintRates(size_t nodes, std::ostream& out);

// `coarse-filter-scheduler cluster [NODES]`: nodes and pods, as YAML, to measure with `plugin bench`.
void PrintCluster(size_t nodes, std::ostream& out);

}  // namespace coarse
