// Any text, in a conversation too, is encoded without loss or refused; any answer is taken apart or
// refused.
#include <cstdint>
#include <string>
#include <string_view>

#include "model/qwen/synthetic.h"
#include "model/text/chat.h"

namespace {

using namespace qgpu::model;

const Tokenizer& tokenizer() {
  static const Tokenizer bytes = *Tokenizer::parse(byteTokenizerJson(256), "bytes");
  return bytes;
}

void checkEncoding(std::string_view text) {
  static const PreTokenizer splitter;
  const auto tokens = tokenizer().encode(text, Control::AsText);
  const bool valid = findInvalidUtf8(text) == std::string_view::npos;
  qgpu::check(tokens.has_value() == valid, "UTF-8 is encoded, nothing else is");
  TokenStream stream(tokenizer());
  std::string streamed;
  for (const char c : text) streamed += stream.add(static_cast<unsigned char>(c));
  qgpu::check(streamed + stream.finish() == lossyUtf8(text), "a stream loses nothing");
  if (!valid) return;
  std::string normalised;
  const auto words = splitter.split(text);
  for (const std::string& word : *words) normalised += word;
  qgpu::check(tokenizer().decode(*tokens) == normalised, "decoding undoes encoding");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  checkEncoding(text);
  const Chat chat{.messages = {{.role = Role::User, .content = "q" + std::string(text)}}};
  if (const auto tokens = tokenizer().encode(renderChat(chat).value())) {
    const auto ends =
        std::count(tokens->begin(), tokens->end(), *tokenizer().addedToken("<|im_end|>"));
    qgpu::check(ends == 1, "a user cannot end a turn");
  }
  if (const auto answer = parseAnswer(text))
    for (const ToolCall& call : answer->tool_calls)
      qgpu::check(!call.name.empty(), "a call has a name");
  return 0;
}
