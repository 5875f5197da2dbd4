// A launch that the chat made, with everything there is to show of it.
#pragma once

#include "tools/api/qgpu.h"

namespace qgpu::chat {

struct Launched {
  Program program;
  Recording recording;  // every token
};

}  // namespace qgpu::chat
