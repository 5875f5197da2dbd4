// Files in and out: what is read, what is refused instead of waited for.
#include "interpreter/base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "interpreter/base/mapped_file.h"
#include "interpreter/base/temporary_folder.h"
#include "interpreter/base/testing/failing_calls.h"

namespace qgpu {
namespace {

namespace fs = std::filesystem;
using testing::FailingCall;

class FilesTest : public ::testing::Test {
 protected:
  std::string refusalOf(const fs::path& path, std::size_t limit = 1000) {
    const auto text = readFile(path, limit);
    EXPECT_FALSE(text.has_value()) << path;
    if (text) return "";
    EXPECT_EQ(text.error().kind, FailureKind::Refusal);
    EXPECT_EQ(text.error().location.file, path.string());
    return text.error().message;
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path();
};

TEST_F(FilesTest, WhatIsWrittenIsRead) {
  std::string bytes;
  for (unsigned i = 0; i < 200'000; ++i) bytes += static_cast<char>(i * i >> 3);
  for (const std::string& content : {std::string(), std::string("a\0b\n", 4), bytes}) {
    ASSERT_TRUE(writeFileAtomically(folder_ / "f", content).has_value());
    EXPECT_EQ(readFile(folder_ / "f"), content);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(FilesTest, ALinkIsTheFileItNames) {
  std::ofstream(folder_ / "f") << "text";
  fs::create_symlink("f", folder_ / "link");
  EXPECT_EQ(readFile(folder_ / "link"), "text");
}

TEST_F(FilesTest, AnOutputReplacesWhatALinkNamesAndKeepsTheLink) {
  std::ofstream(folder_ / "f") << "old";
  fs::create_symlink("f", folder_ / "link");
  ASSERT_TRUE(writeFileAtomically(folder_ / "link", "new").has_value());
  EXPECT_EQ(readFile(folder_ / "f"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

// To replace them would take them away from everybody.
TEST_F(FilesTest, AnOutputIsNoPipeAndNoDevice) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  fs::create_symlink("/dev/null", folder_ / "link");
  for (const fs::path& path : {folder_ / "pipe", folder_ / "link", fs::path("/dev/stdout"),
                               fs::path("/dev/null"), fs::path("/proc/self/fd/1")}) {
    EXPECT_FALSE(outputFile(path).has_value()) << path;
    const auto written = writeFileAtomically(path, "text");
    ASSERT_FALSE(written.has_value()) << path;
    EXPECT_EQ(written.error().message, "is not a regular file and would be replaced");
  }
  EXPECT_TRUE(fs::is_fifo(folder_ / "pipe"));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
}

TEST_F(FilesTest, AnInputIsNoOutput) {
  std::ofstream(folder_ / "f") << "text";
  fs::create_symlink("f", folder_ / "link");
  fs::create_hard_link(folder_ / "f", folder_ / "other");
  for (const char* name : {"f", "link", "other"})
    EXPECT_FALSE(keepApart(folder_ / name, {folder_ / "g", folder_ / "f"}).has_value()) << name;
  EXPECT_TRUE(keepApart(folder_ / "g", {folder_ / "f"}).has_value());
  EXPECT_TRUE(keepApart("", {folder_ / "f", ""}).has_value());
}

TEST_F(FilesTest, TheLimitIsTheLargestSize) {
  std::ofstream(folder_ / "f") << "12345";
  EXPECT_EQ(readFile(folder_ / "f", 5), "12345");
  EXPECT_EQ(refusalOf(folder_ / "f", 4), "is larger than 4 bytes");
}

TEST_F(FilesTest, AHugeFileIsRefusedUnread) {
  std::ofstream(folder_ / "f").close();
  fs::resize_file(folder_ / "f", std::uintmax_t{1} << 40);  // a hole: it takes no room
  EXPECT_EQ(refusalOf(folder_ / "f"), "is larger than 1000 bytes");
}

TEST_F(FilesTest, WhatIsNoFileIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusalOf(folder_ / "pipe"), "is a pipe");
  EXPECT_EQ(refusalOf("/dev/zero"), "is a device");
  EXPECT_EQ(refusalOf(folder_), "is a directory");
  EXPECT_EQ(refusalOf(folder_ / "none"), "cannot open: No such file or directory");
  EXPECT_EQ(refusalOf(folder_ / "none" / "f"), "cannot open: No such file or directory");
}

TEST_F(FilesTest, WritingLeavesNothingBehindWhereItFails) {
  fs::create_directory(folder_ / "taken");
  EXPECT_FALSE(writeFileAtomically(folder_ / "taken", "x").has_value());
  EXPECT_FALSE(writeFileAtomically(folder_ / "none" / "f", "x").has_value());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

// Files whose size is not known beforehand.
TEST_F(FilesTest, WhatGrowsPastTheLimitIsRefused) {
  EXPECT_EQ(refusalOf("/proc/self/maps", 5), "is larger than 5 bytes");
}

TEST_F(FilesTest, CallsThatAreInterruptedAreMadeAgain) {
  {
    const FailingCall again("write", EINTR, 3);
    EXPECT_TRUE(writeFileAtomically(folder_ / "f", "text").has_value());
    EXPECT_EQ(again.left(), 0);
  }
  const FailingCall again("read", EINTR, 3);
  EXPECT_EQ(readFile(folder_ / "f"), "text");
  EXPECT_EQ(again.left(), 0);
}

TEST_F(FilesTest, WhatTheSystemRefusesWhileReading) {
  std::ofstream(folder_ / "f") << "text";
  for (const auto& [call, message] :
       {std::pair{"fstat", "cannot examine: "}, {"read", "cannot read: "}}) {
    const FailingCall broken(call, EIO);
    EXPECT_EQ(refusalOf(folder_ / "f"), message + std::string("Input/output error"));
  }
  for (const auto& [call, message] :
       {std::pair{"fstat", "cannot examine: "}, {"mmap", "cannot map: "}}) {
    const FailingCall broken(call, EIO);
    const auto mapped = MappedFile::open(folder_ / "f");
    ASSERT_FALSE(mapped.has_value()) << call;
    EXPECT_EQ(mapped.error().message, message + std::string("Input/output error"));
  }
}

// The old content stays, and nothing lies beside it.
TEST_F(FilesTest, WhatTheSystemRefusesWhileWriting) {
  std::ofstream(folder_ / "f") << "old";
  for (const char* call : {"write", "fchmod", "fsync", "close", "rename"}) {
    std::string message;
    {
      const FailingCall broken(call, ENOSPC);
      const auto written = writeFileAtomically(folder_ / "f", "new");
      ASSERT_FALSE(written.has_value()) << call;
      message = written.error().message;
    }
    const std::string action = std::string(call) == "rename" ? "replace" : "write";
    EXPECT_EQ(message, "cannot " + action + ": No space left on device") << call;
    EXPECT_EQ(readFile(folder_ / "f"), "old") << call;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1) << call;
  }
}

}  // namespace
}  // namespace qgpu
