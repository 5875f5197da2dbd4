// CUDA's device language for the C++ compiler: what nvcc gives every file without being asked.
// Kernels are compiled with this header in front of them; those that include it themselves find it
// here.
#pragma once

#include <cassert>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "atomic_functions.h"
#include "device_variables.h"
#include "integer_functions.h"
#include "keywords.h"
#include "synchronization.h"
#include "vector_types.h"
