#include "model/launch/decode.h"

namespace qgpu::model {

using protocol::Token;
using protocol::TokenKind;

Decoding decode(MachineModel& model, std::span<const Token> host, std::int64_t most,
                const Observer& observe) {
  const auto feed = [&](const Token& token) {
    model.feed(token);
    if (observe) observe(token);
  };
  for (const Token& token : host) feed(token);
  Decoding run;
  while (!run.ended && static_cast<std::int64_t>(run.written.size()) < most) {
    run.written.push_back(*model.next());
    feed(run.written.back());
    const TokenKind kind = run.written.back().kind;
    run.ended = kind == TokenKind::Halt || kind == TokenKind::Trap;
  }
  return run;
}

std::array<std::uint32_t, kMachine.global_rows> globalMemory(const MachineModel& model) {
  const MemoryPlace place = model.memory("stage1.load.memory.global0");
  std::array<std::uint32_t, kMachine.global_rows> words{};
  for (int row = 0; row < kMachine.global_rows; ++row)
    words[static_cast<std::size_t>(row)] = model.row(place, row, 32);
  return words;
}

}  // namespace qgpu::model
