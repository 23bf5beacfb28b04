// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/pod.h"

namespace berth::plugins {

// Says whether the volume is a disk that pods on one node cannot always share: GCE PD, AWS EBS, Ceph RBD, iSCSI.
bool IsRestrictedDisk(const api::Volume& volume);
bool HasRestrictedDisk(const api::Pod& pod);

// Says whether both are the same disk and at least one use of it rules the other out.
bool DisksConflict(const api::Volume& a, const api::Volume& b);
bool DisksConflict(const api::Pod& a, const api::Pod& b);

}  // namespace berth::plugins
