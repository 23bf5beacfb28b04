// SPDX-License-Identifier: Apache-2.0
#include "ledger_plugin.h"
#include "ledger_summary.h"

#include <berth/scheduler.h>

#include <iostream>
#include <string_view>

// A command of its own, `ledger FILE [POD]`; everything else is Berth.
int main(int argc, char** argv) {
  if (argc > 1 && argv[1] == std::string_view("ledger")) {
    if (argc == 3) return ledger::PrintSummary(argv[2], std::cout, std::cerr);
    if (argc == 4) return ledger::PrintPod(argv[2], argv[3], std::cout, std::cerr);
    std::cerr << "usage: ledger-scheduler ledger FILE [NAMESPACE/POD]\n";
    return 2;
  }
  return berth::RunScheduler(argc, argv, berth::WithPlugin<ledger::Ledger>(ledger::kLedger));
}
