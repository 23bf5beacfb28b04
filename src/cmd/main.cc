// SPDX-License-Identifier: Apache-2.0
#include "cmd/main_entry.h"
#include "plugins/registry.h"

int main(int argc, char** argv) { return berth::cmd::Main(argc, argv, berth::plugins::InTreeRegistry()); }
