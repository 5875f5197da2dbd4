// Finding the form of an instruction: the row of the table that its modifiers and operands fit.
#pragma once

#include <span>
#include <string>

#include "compiler/ptx/ast.h"
#include "compiler/ptx/form.h"

namespace qgpu::ptx {

// What is wrong, and where. Texts are made only when `wanted`: most forms that do not fit are
// simply passed over.
struct Complaint {
  bool wanted = false;
  Position position;
  std::string message;
  std::string hint;

  template <typename MakeMessage>
  bool say(Position where, MakeMessage make, std::string_view advice = {}) {
    if (wanted) {
      position = where;
      message = make();
      hint = advice;
    }
    return false;
  }
};

// A modifier as written.
struct Written {
  const Modifier* modifier = nullptr;
  Position position;
};

// Fills in form and modifiers of an instruction whose opcode and operands are there. False: no form
// fits; the complaint is about the one that came nearest.
bool matchForm(std::span<const Written> modifiers, const Module& module, const Function& function,
               Instruction& instruction, Complaint& complaint);

// The target and the arguments of a call.
bool checkCall(const Module& module, const Function& function, const Instruction& instruction,
               Complaint& complaint);

// Whether a register of type `have` can be an operand of type `want`: the same width, and the same
// kind (integer, float) unless one of the two is untyped bits. With `wider`, more width is fine
// too.
bool fits(Type have, Type want, bool wider);

}  // namespace qgpu::ptx
