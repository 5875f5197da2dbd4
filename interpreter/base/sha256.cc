#include "interpreter/base/sha256.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>

#include "interpreter/base/failure.h"

namespace qgpu {

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check(context_ != nullptr && EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) == 1,
        "the library knows SHA-256");
}

Sha256::~Sha256() { EVP_MD_CTX_free(context_); }

void Sha256::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1, "a digest takes more bytes");
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  check(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1, "a digest is finished once");
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.hex();
}

}  // namespace qgpu
