#include "compiler/cuda/wire.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace qgpu::cuda {
namespace {

CudaOptions someOptions() {
  CudaOptions options;
  options.entry = "k<int>";
  options.opt_level = 2;
  options.warp_size = 8;
  options.line_info = false;
  options.defines = {"A", "B=1"};
  options.headers = {{"a.h", "int a;"}, {"b.h", ""}};
  options.isolation = Isolation::None;
  options.limits = {1, 2, 3, 4, std::chrono::milliseconds(5), 6};
  return options;
}

Location place(int line, int column) {
  Location location;
  location.file = "k.cu";
  location.line = line;
  location.column = column;
  return location;
}

CompiledPtx somePtx() {
  CompiledPtx ptx;
  ptx.text = ".version 6.3";
  Kernel& kernel = ptx.kernels.emplace_back();
  kernel.mangled = "_Zk";
  kernel.qualified = "ns::k";
  kernel.plain = "k";
  kernel.location = place(1, 2);
  kernel.parameters = {{"p", "int *", ValueKind::Pointer, 8, ValueKind::Signed, 4}};
  ptx.entry = 0;
  Warning& warning = ptx.warnings.emplace_back();
  warning.location = place(3, 4);
  warning.message = "careful";
  return ptx;
}

TEST(Wire, RequestsArriveAsTheyWere) {
  const CudaOptions sent = someOptions();
  const auto got = decodeRequest(encodeRequest("source", "k.cu", sent));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(got->source, "source");
  EXPECT_EQ(got->file_name, "k.cu");
  EXPECT_EQ(got->options.entry, sent.entry);
  EXPECT_EQ(got->options.opt_level, sent.opt_level);
  EXPECT_EQ(got->options.warp_size, sent.warp_size);
  EXPECT_EQ(got->options.line_info, sent.line_info);
  EXPECT_EQ(got->options.defines, sent.defines);
  EXPECT_EQ(got->options.headers, sent.headers);
  EXPECT_EQ(got->options.isolation, sent.isolation);
  EXPECT_EQ(got->options.limits, sent.limits);
}

TEST(Wire, ResponsesArriveAsTheyWere) {
  const CompiledPtx sent = somePtx();
  const auto got = decodeResponse(encodeResponse(sent));
  ASSERT_TRUE(got.has_value() && got->has_value());
  EXPECT_EQ((*got)->text, sent.text);
  EXPECT_EQ((*got)->kernels, sent.kernels);
  EXPECT_EQ((*got)->entry, sent.entry);
  EXPECT_EQ((*got)->warnings, sent.warnings);
  Failure failure;
  failure.location = place(1, 2);
  failure.message = "no";
  failure.hint = "yes";
  const auto refused = decodeResponse(encodeResponse(fail(failure)));
  ASSERT_TRUE(refused.has_value() && !refused->has_value());
  EXPECT_EQ(refused->error(), failure);
}

TEST(Wire, PartsOfAMessageAreNone) {
  const std::string request = encodeRequest("source", "k.cu", someOptions());
  for (std::size_t n = 0; n < request.size(); ++n)
    EXPECT_FALSE(decodeRequest(std::string_view(request).substr(0, n)).has_value()) << n;
  const std::string response = encodeResponse(somePtx());
  for (std::size_t n = 0; n < response.size(); ++n)
    EXPECT_FALSE(decodeResponse(std::string_view(response).substr(0, n)).has_value()) << n;
  EXPECT_FALSE(decodeResponse(response + "x").has_value());
}

RC_GTEST_PROP(Wire, AnyTextArrives, (const std::string& source, const std::string& name)) {
  const auto got = decodeRequest(encodeRequest(source, name, {}));
  RC_ASSERT(got.has_value());
  RC_ASSERT(got->source == source);
  RC_ASSERT(got->file_name == name);
}

}  // namespace
}  // namespace qgpu::cuda
