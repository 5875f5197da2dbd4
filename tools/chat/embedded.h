// The texts that travel inside the program: kernels and questions.
#pragma once

#include <string_view>

namespace qgpu::chat {

// "kernels/lists.cu", "questions.json". There must be one of that name.
std::string_view embeddedFile(std::string_view name);

}  // namespace qgpu::chat
