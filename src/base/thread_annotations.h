// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which lock guards what, checked by clang (-Wthread-safety); empty for other compilers.
// A class marks its fields with BERTH_GUARDED_BY, and the functions that touch them with BERTH_REQUIRES or
// BERTH_EXCLUDES.
#if defined(__clang__)
#define BERTH_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define BERTH_THREAD_ANNOTATION(x)
#endif

// On a field: accessed only while `mutex` is held. The second form guards what a pointer points to.
#define BERTH_GUARDED_BY(mutex) BERTH_THREAD_ANNOTATION(guarded_by(mutex))
#define BERTH_PT_GUARDED_BY(mutex) BERTH_THREAD_ANNOTATION(pt_guarded_by(mutex))

// On a function: the caller must hold the locks, or must not hold them.
#define BERTH_REQUIRES(...) BERTH_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define BERTH_EXCLUDES(...) BERTH_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))

// On a mutex: the order in which two are acquired.
#define BERTH_ACQUIRED_BEFORE(...) BERTH_THREAD_ANNOTATION(acquired_before(__VA_ARGS__))
#define BERTH_ACQUIRED_AFTER(...) BERTH_THREAD_ANNOTATION(acquired_after(__VA_ARGS__))

// On lock types and their members: for base/mutex.h, and for a class that exposes its own lock.
#define BERTH_CAPABILITY(name) BERTH_THREAD_ANNOTATION(capability(name))
#define BERTH_SCOPED_CAPABILITY BERTH_THREAD_ANNOTATION(scoped_lockable)
#define BERTH_ACQUIRE(...) BERTH_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define BERTH_RELEASE(...) BERTH_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define BERTH_TRY_ACQUIRE(...) BERTH_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
#define BERTH_ASSERT_HELD(...) BERTH_THREAD_ANNOTATION(assert_capability(__VA_ARGS__))
#define BERTH_RETURN_CAPABILITY(mutex) BERTH_THREAD_ANNOTATION(lock_returned(mutex))
#define BERTH_NO_THREAD_SAFETY_ANALYSIS BERTH_THREAD_ANNOTATION(no_thread_safety_analysis)
