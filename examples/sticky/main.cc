// SPDX-License-Identifier: Apache-2.0
#include "sticky.h"

#include <berth/scheduler.h>

int main(int argc, char** argv) {
  return berth::RunScheduler(argc, argv, berth::WithPlugin<sticky::Sticky>(sticky::kSticky));
}
