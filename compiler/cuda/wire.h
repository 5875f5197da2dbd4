// Requests and responses as bytes, for the pipe between a compile and its caller. Both ends are the
// same program, so there is no version and no byte order; a cut-off text is found out.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "compiler/cuda/compile.h"

namespace qgpu::cuda {

struct Request {
  std::string source;
  std::string file_name;
  CudaOptions options;
};

std::string encodeRequest(std::string_view source, std::string_view file_name,
                          const CudaOptions& options);
std::string encodeResponse(const Expected<CompiledPtx>& response);

// Nothing, if `bytes` is not all of one message.
std::optional<Request> decodeRequest(std::string_view bytes);
std::optional<Expected<CompiledPtx>> decodeResponse(std::string_view bytes);

}  // namespace qgpu::cuda
