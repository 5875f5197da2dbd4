// From clang's declaration of a kernel to what a user knows of it.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclTemplate.h>

#include <string>
#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

bool isKernel(const clang::FunctionDecl& function);
bool isForDevice(const clang::FunctionDecl& function);

Kernel describeKernel(const clang::FunctionDecl& function, std::string_view mangled,
                      std::string_view file_name);

// "ns::reduce0<T, n>"
std::string describeTemplate(const clang::FunctionTemplateDecl& declaration);
// An instance as one might name it: "ns::reduce0<int, 4>"
std::string exampleInstance(const clang::FunctionTemplateDecl& declaration);

}  // namespace qgpu::cuda
