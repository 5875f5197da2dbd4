#include "interpreter/base/temporary_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <utility>

namespace qgpu {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(TemporaryFolder, IsGoneWithAllThatIsInIt) {
  std::filesystem::path path, file;
  {
    const TemporaryFolder folder, other;
    EXPECT_NE(folder.path(), other.path());
    path = folder.path();
    std::filesystem::create_directory(folder / "inner");
    std::ofstream(folder / "inner/file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path / "inner/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, OneThatMovesIsRemovedOnce) {
  std::filesystem::path path;
  {
    auto folder = TemporaryFolder::make();
    ASSERT_TRUE(folder.has_value()) << folder.error().text();
    path = folder->path();
    const TemporaryFolder moved = *std::move(folder);
    folder = refuse("something else");
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

// In a process of its own, since TMPDIR is the whole process's.
[[noreturn]] void makeBelow(const char* parent) {
  ::setenv("TMPDIR", parent, 1);
  const auto made = TemporaryFolder::make();
  std::cerr << (made ? "made" : made.error().text());
  std::exit(2);
}

TEST(TemporaryFolderDeathTest, WhereThereIsNoRoomItIsRefused) {
  EXPECT_EXIT(makeBelow("/nowhere"), ::testing::ExitedWithCode(2),
              AllOf(HasSubstr("no folder for temporary files"), HasSubstr("set TMPDIR")));
  EXPECT_EXIT(makeBelow("/proc"), ::testing::ExitedWithCode(2),
              HasSubstr("no temporary folder /proc/qgpu_"));
}

}  // namespace
}  // namespace qgpu
