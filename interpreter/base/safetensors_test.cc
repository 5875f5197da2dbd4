#include "interpreter/base/safetensors.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>

#include "interpreter/base/files.h"
#include "interpreter/base/temporary_folder.h"
#include "interpreter/base/testing/failing_calls.h"

namespace qgpu {
namespace {

using ::testing::HasSubstr;

class Folder : public TemporaryFolder {
 public:
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path()), {}));
  }
};

// A file by the format's definition: length, header, data. In a vector of words, for alignment.
class Image {
 public:
  Image(std::string_view header, std::string_view data) {
    const std::uint64_t length = header.size();
    std::string all(reinterpret_cast<const char*>(&length), sizeof length);
    all += header;
    all += data;
    set(all);
  }
  explicit Image(std::string_view all) { set(all); }
  std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)).first(size_); }

 private:
  void set(std::string_view all) {
    size_ = all.size();
    words_.resize((size_ + 7) / 8);
    if (size_ > 0) std::memcpy(words_.data(), all.data(), size_);
  }
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

std::string refusal(std::string_view header, std::string_view data = "") {
  const Image image(header, data);
  const auto file = Safetensors::parse(image.bytes(), "f");
  return file ? "accepted" : file.error().text();
}

// 16 spaces-padded bytes of header per tensor keep the data aligned.
std::string padded(std::string header) {
  header.append((8 - header.size() % 8) % 8, ' ');
  return header;
}

TEST(Safetensors, ReadsAFileMadeByTheDefinition) {
  const Image image(padded(R"({"__metadata__":{"format":"pt"},)"
                           R"("b":{"dtype":"BF16","shape":[2,1],"data_offsets":[4,8]},)"
                           R"("a":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
                           R"("empty":{"dtype":"U8","shape":[0,7],"data_offsets":[8,8]}})"),
                    std::string("\x00\x00\x80\x3f\x80\x3f\x00\xc0", 8));
  const auto file = Safetensors::parse(image.bytes(), "f");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->metadata(), (Metadata{{"format", "pt"}}));
  EXPECT_EQ(file->tensors().size(), 3u);
  EXPECT_EQ(file->find("a")->as<float>()[0], 1.0f);
  const auto b = file->require("b", DType::BF16, {2, 1});
  ASSERT_TRUE(b);
  EXPECT_EQ(toFloat(b->as<bfloat16>()[0]), 1.0f);
  EXPECT_EQ(toFloat(b->as<bfloat16>()[1]), -2.0f);
  EXPECT_TRUE(file->find("empty")->bytes.empty());
  EXPECT_EQ(file->find("c"), nullptr);
  EXPECT_THAT(file->require("c", DType::F32, {}).error().text(),
              HasSubstr("f: error: has no tensor c"));
  EXPECT_THAT(file->require("b", DType::F32, {2, 1}).error().text(),
              HasSubstr("tensor b is BF16 [2, 1]; F32 [2, 1] is expected"));
  EXPECT_THAT(file->require("b", DType::BF16, {1, 2}).error().text(),
              HasSubstr("[1, 2] is expected"));
}

TEST(Safetensors, EveryFaultIsRefusedWithItsReason) {
  const auto one = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return padded(fmt::format(R"({{"t":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype,
                              shape, offsets));
  };
  const std::string four(4, 'x');
  EXPECT_EQ(refusal(one("F32", "[1]", "[0,4]"), four), "accepted");
  EXPECT_EQ(refusal("{}"), "accepted");
  EXPECT_THAT(refusal(one("F4", "[1]", "[0,4]"), four), HasSubstr("unknown dtype F4"));
  EXPECT_THAT(refusal(one("F32", "[2]", "[0,4]"), four), HasSubstr("does not fill 4 bytes"));
  EXPECT_THAT(refusal(one("F32", "[-1]", "[0,4]"), four), HasSubstr("bad shape"));
  EXPECT_THAT(refusal(one("F32", "[1.0]", "[0,4]"), four), HasSubstr("bad shape"));
  EXPECT_THAT(refusal(one("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]"), four), HasSubstr("bad shape"));
  EXPECT_THAT(refusal(one("F32", "[4611686018427387904]", "[0,4]"), four), HasSubstr("bad shape"));
  EXPECT_THAT(refusal(one("F32", "[1152921504606846976,16]", "[0,0]")), HasSubstr("does not fill"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[4,0]"), four), HasSubstr("rising"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[0]"), four), HasSubstr("rising"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[0,4,8]"), four), HasSubstr("rising"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[4,8]"), four + four), HasSubstr("gap at offset 0"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[0,4]"), "xxx"),
              HasSubstr("after the file's 3 data bytes"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[0,4]"), four + "y"), HasSubstr("1 bytes after the last"));
  EXPECT_THAT(refusal(one("F32", "[1]", "[0,4]") + " ", four), HasSubstr("not aligned"));
  EXPECT_THAT(refusal(R"({"t":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                      R"("u":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                      "xyz"),
              HasSubstr("tensor u: overlaps"));
  EXPECT_THAT(refusal(R"({"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
                      R"("t":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
              HasSubstr("\"t\" is given twice"));
  EXPECT_THAT(refusal(R"({"t":{"dtype":"U8","shape":[0],"data_offsets":[0,0],"x":1}})"),
              HasSubstr("has members beside"));
  EXPECT_THAT(refusal(R"({"t":{"dtype":"U8","shape":[0]}})"),
              HasSubstr("t.data_offsets is missing"));
  EXPECT_THAT(refusal(R"({"t":{"dtype":7,"shape":[0],"data_offsets":[0,0]}})"),
              HasSubstr("t.dtype is not a string"));
  EXPECT_THAT(refusal(R"({"t":[]})"), HasSubstr("t is not an object"));
  EXPECT_THAT(refusal(R"({"__metadata__":[]})"), HasSubstr("__metadata__ is not an object"));
  EXPECT_THAT(refusal(R"({"__metadata__":{"a":1}})"), HasSubstr("__metadata__.a is not a string"));
  EXPECT_THAT(refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{"), HasSubstr("f:1:"));
  EXPECT_THAT(refusal(""), HasSubstr("not a JSON object"));
}

TEST(Safetensors, LengthFieldIsNotBelieved) {
  const auto parse = [](const std::string& all) {
    const Image image(all);
    return Safetensors::parse(image.bytes(), "f").error().text();
  };
  EXPECT_THAT(parse(""), HasSubstr("shorter than its length field"));
  EXPECT_THAT(parse("1234567"), HasSubstr("shorter than its length field"));
  EXPECT_THAT(parse(std::string(8, '\xff') + "{}"), HasSubstr("a header of 18446744073709551615"));
  EXPECT_THAT(parse(std::string("\x03\0\0\0\0\0\0\0{}", 10)), HasSubstr("ends inside its header"));
}

std::vector<Tensor> someTensors(std::vector<std::vector<std::byte>>& storage,
                                std::mt19937& random) {
  const DType all[] = {DType::I64, DType::F32, DType::BF16, DType::U8};  // wider types first
  std::vector<Tensor> tensors;
  const std::size_t count = random() % 6;
  storage.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    Tensor tensor{fmt::format("t{}é\"\\{}", i, random() % 7), all[i * 4 / count], {}, {}};
    std::size_t size = byteSize(tensor.dtype);
    for (std::size_t d = random() % 4; d > 0; --d) {
      tensor.shape.push_back(random() % 5);
      size *= tensor.shape.back();
    }
    storage.emplace_back(size);
    for (std::byte& b : storage.back()) b = static_cast<std::byte>(random());
    tensor.bytes = storage.back();
    tensors.push_back(tensor);
  }
  return tensors;
}

RC_GTEST_PROP(Safetensors, WhatIsWrittenIsRead, (unsigned seed)) {
  std::mt19937 random(seed);
  const Folder folder;
  std::vector<std::vector<std::byte>> storage;
  const std::vector<Tensor> tensors = someTensors(storage, random);
  const Metadata metadata = random() % 2 ? Metadata{{"a", "b\n"}} : Metadata{};
  RC_ASSERT(writeSafetensors(folder / "a", tensors, metadata).has_value());
  RC_ASSERT(writeSafetensors(folder / "b", tensors, metadata).has_value());
  RC_ASSERT(readFile(folder / "a").value() == readFile(folder / "b").value());
  const auto file = Safetensors::open(folder / "a");
  RC_ASSERT(file.has_value());
  RC_ASSERT(file->metadata() == metadata);
  RC_ASSERT(file->tensors().size() == tensors.size());
  for (const Tensor& tensor : tensors) {
    const auto read = file->require(tensor.name, tensor.dtype, tensor.shape);
    RC_ASSERT(read.has_value());
    RC_ASSERT(std::equal(read->bytes.begin(), read->bytes.end(), tensor.bytes.begin(),
                         tensor.bytes.end()));
  }
  RC_ASSERT(folder.count() == 2u);  // no temporary file is left
}

// A small good file, for damage.
std::string goodFile() {
  const Folder folder;
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  check(writeSafetensors(folder / "x", {tensorOf("w", DType::F32, {2, 3}, values)}, {{"k", "v"}})
            .has_value(),
        "a small file can be written");
  return readFile(folder / "x").value();
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole = goodFile();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Image image(std::string_view(whole).substr(0, size));
    ASSERT_FALSE(Safetensors::parse(image.bytes(), "f")) << size;
  }
}

TEST(Safetensors, DamagedHeadersAreRefusedOrReadInsideTheFile) {
  const std::string whole = goodFile();
  std::size_t refused = 0;
  std::size_t tried = 0;
  for (std::size_t at = 0; at < whole.size() - 24; ++at) {
    for (int value = 0; value < 256; ++value, ++tried) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      const Image image(damaged);
      const auto file = Safetensors::parse(image.bytes(), "f");
      refused += !file;
      if (!file) continue;
      for (const auto& [name, tensor] : file->tensors()) {
        ASSERT_GE(tensor.bytes.data(), image.bytes().data());
        ASSERT_LE(tensor.bytes.data() + tensor.bytes.size(), &*image.bytes().end());
      }
    }
  }
  EXPECT_GT(refused, tried / 2);  // most of the header's bytes matter
  EXPECT_LT(refused, tried);      // a name or a metadata text may change
}

TEST(Safetensors, FilesThatAreNotOrdinaryAreRefused) {
  const Folder folder;
  EXPECT_THAT(Safetensors::open(folder / "none").error().text(),
              HasSubstr("none: error: cannot open"));
  EXPECT_THAT(Safetensors::open(folder / ".").error().text(), HasSubstr("not a regular file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(Safetensors::open(folder / "pipe").error().text(), HasSubstr("not a regular file"));
  std::ofstream(folder / "empty").close();
  EXPECT_THAT(Safetensors::open(folder / "empty").error().text(), HasSubstr("length field"));
}

TEST(SafetensorsWriter, RefusesWhatTheReaderWould) {
  const Folder folder;
  const std::vector<float> four(4);
  const std::vector<std::uint8_t> seven = {7};
  const auto write = [&](const std::vector<Tensor>& tensors) {
    const auto done = writeSafetensors(folder / "x", tensors);
    return done ? "accepted" : done.error().text();
  };
  const Tensor t = tensorOf("t", DType::F32, {4}, four);
  const Tensor byte = tensorOf("u", DType::U8, {1}, seven);
  EXPECT_THAT(write({t, t}), HasSubstr("tensor t: the name is taken"));
  EXPECT_THAT(write({byte, t}), HasSubstr("tensor t: would not be aligned"));
  EXPECT_THAT(write({tensorOf("t", DType::F32, {5}, four)}), HasSubstr("do not fill its shape"));
  EXPECT_THAT(write({tensorOf("t", DType::F32, {std::size_t{1} << 62, 4}, four)}),
              HasSubstr("too large"));
  EXPECT_THAT(write({tensorOf("__metadata__", DType::F32, {4}, four)}), HasSubstr("taken"));
  EXPECT_EQ(folder.count(), 0u);
  EXPECT_EQ(write({t, byte}), "accepted");
  EXPECT_THAT(writeSafetensors("/nowhere/x", {t}).error().text(), HasSubstr("cannot write"));
}

TEST(SafetensorsWriter, LimitsOfTheFormat) {
  const Folder folder;
  const auto refused = [&](const std::vector<Tensor>& tensors, const Metadata& metadata = {}) {
    const auto writer = SafetensorsWriter::create(folder / "x", tensors, metadata);
    return writer ? "accepted" : writer.error().text();
  };
  EXPECT_EQ(refused({{"t", DType::U8, Shape(Safetensors::kRankLimit, 1), {}}}), "accepted");
  EXPECT_THAT(refused({{"t", DType::U8, Shape(Safetensors::kRankLimit + 1, 1), {}}}),
              HasSubstr("tensor t: has too many dimensions"));
  const std::size_t half = std::size_t{1} << 63;  // two of them are more than a size can say
  EXPECT_THAT(refused({{"t", DType::U8, {half}, {}}, {"u", DType::U8, {half}, {}}}),
              HasSubstr("tensor u: is too large"));
  EXPECT_THAT(refused({}, {{"k", std::string(Safetensors::kHeaderLimit, 'x')}}),
              HasSubstr("the header would be too large"));
  EXPECT_EQ(folder.count(), 0u);
}

TEST(SafetensorsWriter, CallsThatAreInterruptedAreMadeAgain) {
  const Folder folder;
  const std::vector<float> four(4);
  const testing::FailingCall again("write", EINTR, 3);
  EXPECT_TRUE(writeSafetensors(folder / "x", {tensorOf("t", DType::F32, {4}, four)}));
  EXPECT_EQ(again.left(), 0);
}

// The old file stays, and nothing lies beside it.
TEST(SafetensorsWriter, WhatTheSystemRefuses) {
  const Folder folder;
  const std::vector<float> four(4);
  const std::vector<Tensor> tensors = {tensorOf("t", DType::F32, {4}, four)};
  std::ofstream(folder / "x") << "old";
  for (const char* call : {"write", "fchmod", "fsync", "close", "rename"}) {
    std::string message;
    {
      const testing::FailingCall broken(call, ENOSPC);
      const auto written = writeSafetensors(folder / "x", tensors);
      ASSERT_FALSE(written) << call;
      message = written.error().message;
    }
    const std::string action = std::string(call) == "rename" ? "replace" : "write";
    EXPECT_EQ(message, "cannot " + action + ": No space left on device") << call;
    EXPECT_EQ(readFile(folder / "x"), "old") << call;
    EXPECT_EQ(folder.count(), 1u) << call;
  }
  auto writer = SafetensorsWriter::create(folder / "y", tensors);
  ASSERT_TRUE(writer);
  const testing::FailingCall broken("write", ENOSPC);  // of a tensor, behind the header
  EXPECT_FALSE(writer->append(tensors[0].bytes));
}

TEST(SafetensorsWriter, AnAbandonedFileLeavesNothing) {
  const Folder folder;
  {
    auto writer = SafetensorsWriter::create(folder / "x", {{"t", DType::U8, {100}, {}}});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(std::vector<std::byte>(60)));
  }
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
}  // namespace qgpu
