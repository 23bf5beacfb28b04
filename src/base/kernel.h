// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks a function whose loops are worth compiling for several generations of vector units; the best one is picked when
// the program starts. Left out where the run-time choice is not supported (sanitizers, other compilers and machines).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && defined(NDEBUG)
#define BERTH_KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define BERTH_KERNEL
#endif
