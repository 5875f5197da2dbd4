// The same as cuda_runtime.h here.
#pragma once

#include "cuda_runtime.h"
