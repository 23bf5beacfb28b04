// SPDX-License-Identifier: Apache-2.0
#pragma once

// Not Berth's header of this name.
struct Status {
  int number = 2;
};
