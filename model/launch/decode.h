// Greedy decoding of a launch: the only loop between the host's tokens and its results.
//
//   MachineModel model(circuit);
//   Decoding run = decode(model, host_tokens, 1'000'000);
//   run.ended;            // HALT or TRAP was written
//   run.written;          // EXEC 0 0 1111, MEM 7 32, HALT
//   globalMemory(model);  // read back from the recurrent state
//
// It embeds tokens, runs the layers, takes the largest logit and appends: nothing here, and nothing
// that it calls, knows what a token means but for the two that end a launch.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "interpreter/isa/machine_parameters.h"
#include "interpreter/protocol/token.h"
#include "model/launch/machine_model.h"

namespace qgpu::model {

struct Decoding {
  std::vector<protocol::Token> written;  // with the HALT or TRAP
  bool ended = false;                    // false: `most` tokens were written first
};

// Called after each token, the host's and the model's.
using Observer = std::function<void(const protocol::Token&)>;

Decoding decode(MachineModel& model, std::span<const protocol::Token> host, std::int64_t most,
                const Observer& observe = {});

// The words of global memory.
std::array<std::uint32_t, kMachine.global_rows> globalMemory(const MachineModel& model);

}  // namespace qgpu::model
