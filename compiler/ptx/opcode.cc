// Names of opcodes, and of the instruction families that are refused as a whole.
#include <algorithm>
#include <unordered_map>

#include "compiler/ptx/form.h"

namespace qgpu::ptx {
namespace {

// clang-format off
constexpr std::array<std::string_view, kOpcodes> kNames = {
    "add", "addc", "sub", "subc", "mul", "mad", "madc", "mul24", "mad24", "sad", "div", "rem",
    "abs", "neg", "min", "max", "popc", "clz", "bfind", "fns", "brev", "bfe", "bfi", "szext",
    "bmsk", "dp4a", "dp2a",
    "testp", "copysign", "fma", "rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh",
    "set", "setp", "selp", "slct",
    "and", "or", "xor", "not", "cnot", "lop3", "shf", "shl", "shr",
    "mov", "shfl", "prmt", "ld", "ldu", "st", "prefetch", "prefetchu", "isspacep", "cvta", "cvt",
    "bar", "barrier", "membar", "fence", "atom", "red", "vote", "match", "activemask", "redux",
    "bra", "brx", "call", "ret", "exit", "trap", "brkpt", "pmevent", "nanosleep"};

constexpr InstructionFamily kFamilies[] = {
    {"textures", "tex tld4 txq istypep"},
    {"surfaces", "suld sust sured suq"},
    {"matrix units", "wmma mma ldmatrix stmatrix movmatrix wgmma tcgen05"},
    {"asynchronous copies", "cp"},
    {"asynchronous barriers", "mbarrier"},
    {"tensor maps", "tensormap"},
    {"multicast accesses", "multimem"},
    {"cache policies", "createpolicy applypriority discard"},
    {"clusters", "mapa getctarank clusterlaunchcontrol"},
    {"dependent launches", "griddepcontrol"},
    {"register reallocations", "setmaxnreg"},
    {"leader elections", "elect"},
    {"dynamic stack allocations", "alloca stacksave stackrestore"},
    {"video instructions", "vadd vsub vabsdiff vmin vmax vshl vshr vmad vset "
                           "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2 "
                           "vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4 vset4"},
};
// clang-format on

using OpcodeMap = std::unordered_map<std::string_view, OpcodeName>;

OpcodeMap makeOpcodes() {
  OpcodeMap map;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    map[kNames[i]] = {OpcodeName::Kind::Known, static_cast<Opcode>(i), {}};
  }
  for (const InstructionFamily& family : kFamilies) {
    std::string_view rest = family.opcodes;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      map[rest.substr(0, end)] = {OpcodeName::Kind::Family, Opcode::Ret, family.name};
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return map;
}

}  // namespace

std::string_view spelling(Opcode opcode) { return kNames[static_cast<std::size_t>(opcode)]; }

OpcodeName findOpcode(std::string_view text) {
  static const OpcodeMap kOpcodeMap = makeOpcodes();
  const auto found = kOpcodeMap.find(text);
  return found == kOpcodeMap.end() ? OpcodeName{} : found->second;
}

std::span<const std::string_view> opcodeNames() { return kNames; }

std::span<const InstructionFamily> instructionFamilies() { return kFamilies; }

}  // namespace qgpu::ptx
