// The recorder as nvcc builds it, on a driver without a GPU (testing/fake_cuda.cc): what it passes
// to a kernel, what it reads back, and that one kernel's fault ends with that kernel.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "interpreter/base/files.h"
#include "model/testing/temporary_folder.h"

namespace qgpu::golden {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string launchOf(std::string_view name, std::string_view symbol, std::string_view more = "",
                     std::string_view module = "k.cu") {
  return fmt::format(
      "launch \"{}\"\nmodule {}\nsymbol {}\ngrid 2 1 1\nblock 1 2 1\nshared 48\n"
      "array int exact 01000000020000000300000004000000 \"x\"\n{}record {{\"name\":\"{}\"}}\n",
      name, module, symbol, more, name);
}

// The recorder's lines after the first.
std::vector<std::string> record(const std::string& launches) {
  const model::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "modules");
  check(writeFileAtomically(folder.path() / "modules/k.cu.fatbin", "a module").has_value() &&
            writeFileAtomically(folder.path() / "list", "qgpu-launches 1\n" + launches).has_value(),
        "files can be written");
  const std::string command =
      fmt::format("cd '{}' && LD_LIBRARY_PATH='{}' '{}' list modules driver toolkit >out 2>log",
                  folder.path().string(), QGPU_FAKE_CUDA_FOLDER, QGPU_GOLDEN_RECORDER);
  check(std::system(command.c_str()) == 0, "the recorder ends well");
  std::istringstream text(readFile(folder.path() / "out").value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  check(!lines.empty() && lines[0].starts_with("{\"qgpu_golden\":1,\"device\":\"synthetic"),
        "the recording begins with who made it");
  lines.erase(lines.begin());
  return lines;
}

TEST(Driver, ArgumentsAndShapeReachTheKernelAndArraysComeBack) {
  EXPECT_THAT(record(launchOf("add", "add", "value 0a00\n")),
              ::testing::ElementsAre(R"({"name":"add","expected":{"x":[11,13,15,17]}})"));
  EXPECT_THAT(record(launchOf("shared", "shared"))[0], HasSubstr("[48,2,3,4]"));
}

TEST(Driver, EachRunHasAModuleOfItsOwn) {
  const auto lines = record(launchOf("first", "count") + launchOf("second", "count"));
  EXPECT_EQ(lines[0], R"({"name":"first","expected":{"x":[1,2,3,4]}})");
  EXPECT_EQ(lines[1], R"({"name":"second","expected":{"x":[1,2,3,4]}})");
}

TEST(Driver, AFaultEndsWithItsKernel) {
  const auto lines = record(launchOf("bad", "fault") + launchOf("add", "add", "value ffff\n") +
                            launchOf("beside", "beside") + launchOf("unknown", "nothing") +
                            launchOf("missing", "add", "", "other.cu") + launchOf("last", "count"));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[0], R"({"omitted":"bad","reason":"CUDA_ERROR: an illegal address"})");
  EXPECT_EQ(lines[1], R"({"name":"add","expected":{"x":[0,2,4,6]}})");
  EXPECT_THAT(lines[2], HasSubstr("wrote beside an array"));
  EXPECT_THAT(lines[3], HasSubstr("not found"));
  EXPECT_THAT(lines[4], HasSubstr("other.cu.fatbin is missing"));
  EXPECT_THAT(lines[5], StartsWith(R"({"name":"last")"));
}

TEST(Driver, WhereNothingCouldBeRecordedTheRecorderSaysSo) {
  EXPECT_EXIT(record(launchOf("bad", "fault")), ::testing::ExitedWithCode(4),
              "the recorder ends well");
}

}  // namespace
}  // namespace qgpu::golden
