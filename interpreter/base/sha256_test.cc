#include "interpreter/base/sha256.h"

#include <gtest/gtest.h>
#include <openssl/crypto.h>

#include "interpreter/base/out_of_memory.h"

namespace qgpu {
namespace {

// The examples of FIPS 180-2.
TEST(Sha256, StandardExamples) {
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, PiecesCountAsTheWhole) {
  Sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  EXPECT_EQ(hash.hex(), sha256("abc"));
}

// As in a program: the first hash makes OpenSSL ready, and there is no memory for that.
TEST(Sha256, WithoutMemoryTheProgramEnds) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers refuse to hand out no memory";
#endif
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        endWhenOutOfMemory(false);
        OPENSSL_malloc(std::size_t{1} << 60);
      },
      ::testing::ExitedWithCode(2), "out of memory");
}

}  // namespace
}  // namespace qgpu
