// Token streams into a machine: it refuses them without a change, or goes on. The first bytes may
// ask for the prompt of a random program, so that the streams come to where blocks run.
#include <cstddef>
#include <cstdint>

#include "interpreter/machine/machine.h"
#include "interpreter/protocol/prompt.h"
#include "interpreter/testing/generate.h"

namespace {

using qgpu::check;
using qgpu::machine::Machine;
using qgpu::machine::Phase;
using qgpu::protocol::Token;

class Stream {
 public:
  Stream(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  std::uint32_t take(int bytes) {
    std::uint32_t value = 0;
    for (; bytes > 0; --bytes) value = value << 8 | (empty() ? 0u : data_[at_++]);
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_, at_ = 0;
};

void stepAndCheck(Machine& machine, const Token& token) {
  const auto before = machine.state();
  const auto next = machine.next();
  const Phase phase = machine.phase();
  if (machine.step(token)) return;
  check(machine.state() == before && machine.next() == next && machine.phase() == phase,
        "a refused token changes nothing");
}

// As the model would, for a while. False where the launch cannot go on.
bool writeTokens(Machine& machine, std::uint32_t count) {
  for (; count > 0 && machine.next(); --count)
    if (!machine.step(*machine.next())) return false;  // a block that breaks a rule
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Stream stream(data, size);
  Machine machine;
  while (!stream.empty()) {
    const std::uint32_t what = stream.take(1);
    if (what < 32) {
      // A prompt, with one token of it replaced where the number asks for it.
      auto prompt = qgpu::protocol::hostTokens(qgpu::isatest::generateCase(stream.take(2)).image());
      const std::size_t at = stream.take(2);
      if (at < prompt.size())
        prompt[at] =
            *Token::fromId(static_cast<int>(stream.take(3)) % qgpu::protocol::vocabulary());
      for (const Token& token : prompt) (void)machine.step(token);
    } else if (what < 96) {
      if (!writeTokens(machine, stream.take(1))) return 0;
    } else {
      stepAndCheck(machine,
                   *Token::fromId(static_cast<int>(stream.take(3)) % qgpu::protocol::vocabulary()));
    }
  }
  return 0;
}
