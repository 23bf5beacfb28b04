// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "framework/registry.h"

namespace berth::plugins {

// Every plugin that comes with Berth. A program of your own adds its entries to it.
framework::Registry InTreeRegistry();

}  // namespace berth::plugins
