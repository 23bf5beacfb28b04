// SPDX-License-Identifier: Apache-2.0
#include "sample_plugin.h"

#include <berth/scheduler.h>

int main(int argc, char** argv) {
  return berth::RunScheduler(argc, argv, berth::WithPlugin(sample::kSamplePlugin, sample::NewSamplePlugin));
}
