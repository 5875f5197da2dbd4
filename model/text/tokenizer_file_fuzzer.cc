// Any text is a tokenizer.json or is refused; one that is accepted encodes and decodes.
#include <cstdint>
#include <string_view>

#include "model/text/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = qgpu::model::Tokenizer::parse(file, "fuzz");
  if (!tokenizer) return 0;
  const std::string_view text = "I'll say <think>\xe4\xbd\xa0</think>\n\n 12  ";
  const auto tokens = tokenizer->encode(text, qgpu::model::Control::AsText);
  qgpu::check(tokens && tokenizer->decode(*tokens) == text, "decoding undoes encoding");
  return 0;
}
