// SHA-256, as hexadecimal digits: what files and tables are told apart by.
//
//   sha256("abc");                          // "ba7816bf 8f01cfea ..." without the spaces
//   Sha256 hash; hash.add(header); hash.add(body); hash.hex();
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace qgpu {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  // 64 digits. Nothing may be added afterwards.
  std::string hex();

 private:
  evp_md_ctx_st* context_;
};

std::string sha256(std::string_view text);

}  // namespace qgpu
