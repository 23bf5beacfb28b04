// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/decoder.h"
#include "api/volume.h"

namespace berth::api {

// An entry of a pod's spec.volumes.
Volume DecodeVolume(FieldReader& reader);

// The source of a persistent volume other than CSI, from its spec; a volume without one has an OtherVolume of no kind.
Volume DecodePersistentSource(FieldReader& spec);

}  // namespace berth::api
