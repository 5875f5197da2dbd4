// The program store, and a slot's control as the pipeline wants it.
//
// Each half of a slot's word has a memory of 32 rows, one for each block, read by EXEC one layer
// before the slot's stage. The first slot is read in layer 0, before any token's word is composed:
// there the memory takes the three parts of a word from the last three tokens.
#pragma once

#include <array>
#include <string_view>

#include "compiler/circuit/machine/front.h"
#include "compiler/circuit/machine/inputs.h"
#include "interpreter/isa/table.h"

namespace qgpu::circuit::machine {

// The layer in which slot `s` is read and decoded; its stage is the ten layers that follow.
constexpr int kStageLayers = 10;
constexpr int fetchLayer(int slot) { return kStageLayers * slot; }

// A slot's 64 bits.
struct SlotBits {
  Bus word;
  // A field of the encoding by its name in isa::kSlotFields.
  Bus field(std::string_view name) const;
  Wire flag(std::string_view name) const { return field(name).front(); }
};

SlotBits fetchSlot(Net& net, const Inputs& in, const Front& front, int slot);

struct HeaderBits {
  Bus kind, condition, target, other;
  Wire condition_not, divide;
};
HeaderBits fetchHeader(Net& net, const Inputs& in, const Front& front, int layer);

// Flags of a slot, decoded in the layer in which it is fetched. They hold in EXEC only.
class Decoder {
 public:
  enum class Form { Any, Register, Memory };  // with a memory operand or without
  Decoder(Net& net, const Inputs& in, const SlotBits& bits);

  // Holds where the slot's opcode is in the set, its form is right, and `extra` holds.
  Wire ops(std::string_view name, std::initializer_list<isa::Opcode> set, Form form = Form::Any,
           const Gate& extra = {});
  // Holds for the opcodes whose row is wanted.
  template <typename Wanted>
  Wire rows(std::string_view name, Wanted wanted, Form form = Form::Any, const Gate& extra = {}) {
    const Wire out = net_.wire(name);
    alsoRows(out, wanted, form, extra);
    return out;
  }
  // Adds more opcodes to a flag, which must exclude those it has.
  void also(Wire flag, std::initializer_list<isa::Opcode> set, Form form, const Gate& extra,
            int amount = 1);
  template <typename Wanted>
  void alsoRows(Wire flag, Wanted wanted, Form form, const Gate& extra) {
    for (int i = 0; i < isa::kOpcodes; ++i)
      if (wanted(isa::rows()[i])) add(flag, i, form, extra);
  }

 private:
  void add(Wire out, int opcode, Form form, const Gate& extra, int amount = 1);

  Net& net_;
  Wire exec_;
  Bus op_, space_;
};

}  // namespace qgpu::circuit::machine
