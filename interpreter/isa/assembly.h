// Programs as text, both ways: assemble(disassemble(p)) == p for every program that keeps the
// rules.
//
//   block 1:
//     setp.lt p0!, tid, c2              ; c2: parameter word 2; p0 leaves the block, hence the !
//     @s1 mov _, [global 4 + tid*4]     ; guarded by slot 1's predicate; the result stays in the
//     block
//     @s1 mad r3!, s2, [global 84 + tid*4], r3
//     branch !s1, 3, 2                  ; lanes with a false s1 go to block 3, the others to 2
//
// A line is one slot, a block's last line its terminator; a semicolon starts a comment. `!` marks
// what leaves the block. `else X` is the value a failed guard keeps. Beside a result `|p2` names
// the predicate; `|p0` that is not live may be left out, and `sub` without a comparison compares
// for equality.
#pragma once

#include <string>
#include <string_view>

#include "interpreter/base/failure.h"
#include "interpreter/isa/instruction.h"

namespace qgpu::isa {

std::string disassemble(const Slot& slot);
std::string disassemble(const Header& header);
std::string disassemble(const Block& block, int number);
std::string disassemble(const Program& program);

// Refusals carry the line and column. The block rules are not checked here; see rules.h.
Expected<Program> assemble(std::string_view text, const std::string& file_name);

std::string_view name(Special special);  // "tid"
std::string_view name(Compare compare);  // "lt"
std::string_view name(Terminator kind);  // "branch"
std::string text(Guard guard);           // "!p0", "s2", "always"

}  // namespace qgpu::isa
