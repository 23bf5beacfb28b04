// SPDX-License-Identifier: Apache-2.0
#include "coarse_filter.h"
#include "indexed_filter.h"
#include "measure.h"

#include <berth/scheduler.h>

#include <cstdlib>
#include <iostream>
#include <string_view>

// Two commands of its own to measure with, `rates [NODES]` and `cluster [NODES]`; everything else is Berth.
int main(int argc, char** argv) {
  constexpr size_t kNodes = 5000;
  const std::string_view command = argc > 1 ? argv[1] : "";
  const size_t nodes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : kNodes;
  if (nodes > 0 && command == "rates") {
    coarse::PrintRates(nodes, std::cout);
    return 0;
  }
  if (nodes > 0 && command == "cluster") {
    coarse::PrintCluster(nodes, std::cout);
    return 0;
  }
  return berth::RunScheduler(argc, argv, berth::WithPlugin<coarse::CoarseFilter>(coarse::kCoarseFilter),
                             berth::WithPlugin<coarse::IndexedFilter>(coarse::kIndexedFilter));
}
