// What a CUDA source may use without including anything, as under nvcc. The front end compiles this
// header once into a precompiled header in memory and puts it before every source.
//
// Functions are `nodebug`, so that the lines of the PTX are lines of the user's source, and
// `always_inline`, because the machine has no calls. Names that start with __qgpu_ are ours.
#pragma once
#pragma clang system_header

#include "qualifiers.h"

#include "types.h"

#include "indices.h"
#include "integer.h"
#include "simd_in_a_word.h"

#include "atomics.h"
#include "memory.h"
#include "synchronization.h"
#include "warp.h"

#include "c_library.h"
#include "floating_point.h"

#include "standard_library.h"

#include "cooperative_groups.h"

#include "host_library.h"

#include "runtime_api.h"

#include "unavailable.h"
