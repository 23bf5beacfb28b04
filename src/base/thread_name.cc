// SPDX-License-Identifier: Apache-2.0
#include "base/thread_name.h"

#include <pthread.h>

namespace berth {

void NameThread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace berth
